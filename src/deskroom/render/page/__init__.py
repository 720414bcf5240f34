"""A run as a web page: one file that holds all it needs, for whoever opens it.

``model`` turns views of a run into plain values, ``page`` these into HTML. Beside them stand the
template, the style sheet and the scripts, which are put into the page.
"""
