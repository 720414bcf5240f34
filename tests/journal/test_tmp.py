import anyio, pytest, os
from hypothesis import given, settings, strategies as st
from deskroom.journal import JournalFile, verify
import itertools
N = itertools.count()
@pytest.mark.parametrize("backend", ["asyncio"])
@given(data=st.data())
@settings(max_examples=1500)
def test_v(room_plans, backend, data, tmp_path_factory):
    p = f"/dev/shm/v{os.getpid()}-{next(N)}.jsonl"
    plan = data.draw(room_plans)
    try:
        with JournalFile.create(p, sync="never") as j:
            anyio.run(plan.room(j).run, backend=backend)
        verify(p)
    finally:
        os.unlink(p)
