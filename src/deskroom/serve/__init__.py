"""A journal that is followed while it grows, and the page of it, served on loopback."""

from deskroom.serve.follow import Follower
from deskroom.serve.server import PageServer

__all__ = ["Follower", "PageServer"]
