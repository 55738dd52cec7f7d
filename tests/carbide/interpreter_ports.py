"""What the interpreter's elements come from and go to: sockets, FIFOs, iterators."""

from collections.abc import Callable
from threading import Condition

from tests.carbide.interpreter_memory import View, words_of
from tests.carbide.interpreter_values import Unsupported, Value, bits_of, convert, of_bits


class Finished(Exception):
    """Nobody will send any more: a program that waits for ever has done its work."""


class Channel:
    """Elements on their way, as bit patterns; `close` ends who waits for more."""

    def __init__(self) -> None:
        from queue import Queue

        self.queue: Queue = Queue()
        self.ahead: list[int] = []

    def put(self, bits: int) -> None:
        self.queue.put(bits)

    def close(self) -> None:
        self.queue.put(None)

    def peek(self) -> int:
        """The next element, which stays. Raises Finished."""
        if not self.ahead:
            bits = self.queue.get(timeout=10)
            if bits is None:
                raise Finished
            self.ahead.append(bits)
        return self.ahead[0]

    def get(self) -> int:
        self.peek()
        return self.ahead.pop()


class Socket:
    """`type` None: the other side of each transfer decides."""

    def __init__(self, type_: str | None, into: Channel | None, out: Channel | None) -> None:
        self.type, self.into, self.out = type_, into, out

    def get(self, type_: str) -> Value:
        assert self.into is not None
        return Value(type_, of_bits(self.into.get(), type_))

    def put(self, value: Value) -> None:
        assert self.out is not None
        if value.type is None and self.type is None:
            raise Unsupported("a literal on an untyped socket")
        self.out.put(bits_of(convert(value, self.type or value.type or "")))


class Fifo:
    """A ring in `memory`; a reader waits while it is empty, a writer while it is full."""

    def __init__(self, type_: str, memory: View) -> None:
        self.type, self.memory = type_, memory
        self.capacity = words_of(memory.type, memory.extents) // words_of(type_)
        self.place, self.fill = 0, 0
        self.changed = Condition()

    def _at(self, place: int) -> View:
        step = words_of(self.type)
        offset = self.memory.offset + place % self.capacity * step
        return View(self.type, (), self.memory.words, offset)

    def get(self, type_: str) -> Value:
        with self.changed:
            assert self.changed.wait_for(lambda: self.fill > 0, 10), "a FIFO stays empty"
            value = self._at(self.place).read()
            self.place, self.fill = (self.place + 1) % self.capacity, self.fill - 1
            self.changed.notify_all()
            return value

    def put(self, value: Value) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.fill < self.capacity, 10), "a full FIFO"
            self._at(self.place + self.fill).write(value)
            self.fill += 1
            self.changed.notify_all()


class Walker:
    """An iterator: the next element's place, walk by walk, the last one fastest."""

    def __init__(self, place: Callable[[dict], View], walks: list[tuple[str, int, int]]) -> None:
        self.place, self.walks = place, walks
        self.type = str(place(self._names([low for _, low, _ in walks])).type)
        self.reset()

    def _names(self, positions: list[int]) -> dict:
        pairs = zip(self.walks, positions, strict=True)
        return {name: Scalar(Value("xp", at)) for (name, _, _), at in pairs}

    def reset(self) -> None:
        self.positions = [low for _, low, _ in self.walks]

    def _next(self) -> View:
        view = self.place(self._names(self.positions))
        for place in reversed(range(len(self.walks))):
            self.positions[place] += 1
            if self.positions[place] < self.walks[place][2]:
                break
            self.positions[place] = self.walks[place][1]
        return view

    def get(self, type_: str) -> Value:
        return self._next().read()

    def put(self, value: Value) -> None:
        self._next().write(value)


class Scalar:
    """A local variable, const or param; global variables are views."""

    def __init__(self, value: Value, *, constant: bool = False) -> None:
        self.value, self.constant = value, constant

    @property
    def type(self) -> str | None:
        return self.value.type

    extents = ()

    def read(self) -> Value:
        return self.value

    def write(self, value: Value) -> None:
        assert self.value.type is not None
        self.value = convert(value, self.value.type)


def run_all(jobs: list[Callable[[], None]]) -> None:
    """Run jobs side by side to their ends; raises the first failure."""
    from threading import Thread

    failures: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
