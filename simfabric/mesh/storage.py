"""Where a machine's records live: numpy arrays for compiled code, Python objects for uncompiled.

Both are filled from and read back as numpy arrays, so that everything around the machine (building
it, showing it, checkpoints) is written once.
"""

from typing import Any

from simfabric.mesh import layout


def _to_record(row: Any, name: str) -> Any:
    record = getattr(layout, name)()
    for field, type_, *count in layout.RECORDS[name]:
        value = row[field]
        if type_ in layout.RECORDS:
            value = layout.Records(_to_record(part, type_) for part in value)
        elif count:
            value = value.tolist()
        else:
            value = int(value)
        setattr(record, field, value)
    return record


def _from_record(record: Any, row: Any, name: str) -> None:
    for field, type_, *count in layout.RECORDS[name]:
        value = getattr(record, field)
        if type_ in layout.RECORDS:
            for k in range(count[0]):
                _from_record(value[k], row[field][k], type_)
        else:
            row[field] = value


def zeros(count: int, dtype: Any) -> Any:
    """An array that starts at a cache line."""
    import numpy as np

    dtype = np.dtype(dtype)
    space = np.zeros(count * dtype.itemsize + 63, np.uint8)
    start = -space.ctypes.data % 64
    return space[start : start + count * dtype.itemsize].view(dtype)


class Storage:
    """The arrays behind the pointers of `Machine`, by field name.

    `where` is what the loop's functions take. `types` maps a field to its element type.
    """

    def __init__(self, compiled: bool) -> None:
        import numpy as np

        self.compiled = compiled
        self.types = {name: type_[:-1] for name, type_, *_ in layout.MACHINE if type_[-1] == "*"}
        self._arrays: dict[str, Any] = {}
        if compiled:
            self._machine = np.zeros(1, layout.machine_dtype())
            self.where: Any = self._machine.ctypes.data
        else:
            self._machine = layout.Machine()
            self.where = self._machine

    def dtype(self, name: str) -> Any:
        import numpy as np

        type_ = self.types[name]
        return layout.dtype(type_) if type_ in layout.RECORDS else np.dtype(layout._TYPES[type_][1])

    def set(self, name: str, array: Any) -> None:
        """Let a pointer field name this array (compiled) or its values (uncompiled)."""
        if self.compiled:
            if array.ctypes.data % 64:
                aligned = zeros(len(array), array.dtype)
                aligned[:] = array
                array = aligned
            self._arrays[name] = array
            self._machine[name] = array.ctypes.data
        elif self.types[name] in layout.RECORDS:
            records = layout.Records(_to_record(row, self.types[name]) for row in array)
            setattr(self._machine, name, records)
        else:
            setattr(self._machine, name, array.tolist())

    def get(self, name: str) -> Any:
        """The array of a pointer field; uncompiled, a copy."""
        import numpy as np

        if self.compiled:
            return self._arrays[name]
        values = getattr(self._machine, name)
        if self.types[name] not in layout.RECORDS:
            return np.array(values, self.dtype(name))
        array = np.zeros(len(values), self.dtype(name))
        for k, record in enumerate(values):
            _from_record(record, array[k], self.types[name])
        return array

    def row(self, name: str, k: int) -> Any:
        """One element of an array of records; a copy."""
        import numpy as np

        if self.compiled:
            return self._arrays[name][k].copy()
        row = np.zeros((), self.dtype(name))
        _from_record(getattr(self._machine, name)[k], row, self.types[name])
        return row

    def rows(self, name: str, start: int, end: int) -> list[tuple[Any, ...]]:
        """Records of plain numbers as tuples, in the order of their fields."""
        if self.compiled:
            return self._arrays[name][start:end].tolist()
        fields = [field for field, *_ in layout.RECORDS[self.types[name]]]
        records = getattr(self._machine, name)[start:end]
        return [tuple(getattr(record, field) for field in fields) for record in records]

    def part(self, name: str, start: int, end: int) -> Any:
        """Elements start to end of an array of numbers; a copy."""
        import numpy as np

        if self.compiled:
            return self._arrays[name][start:end].copy()
        return np.array(getattr(self._machine, name)[start:end], self.dtype(name))

    def put(self, name: str, k: int, field: str | None, value: Any) -> None:
        """Change one number, or one field of one record."""
        if self.compiled:
            if field is None:
                self._arrays[name][k] = value
            else:
                self._arrays[name][k][field] = value
        elif field is None:
            getattr(self._machine, name)[k] = int(value)
        else:
            setattr(getattr(self._machine, name)[k], field, int(value))

    def number(self, name: str, k: int, field: str) -> int:
        """One number of one record, without a copy of the record."""
        if self.compiled:
            return int(self._arrays[name][field][k])
        return int(getattr(getattr(self._machine, name)[k], field))

    def column(self, name: str, field: str) -> Any:
        """One field of all records; a copy when uncompiled."""
        import numpy as np

        if self.compiled:
            return self._arrays[name][field]
        return np.array([getattr(record, field) for record in getattr(self._machine, name)])

    def grow(self, name: str, size: int) -> None:
        """Make an array longer; what it holds stays, what is new is 0."""
        if self.compiled:
            old = self._arrays[name]
            new = zeros(size, old.dtype)
            new[: len(old)] = old
            self.set(name, new)
            return
        values = getattr(self._machine, name)
        type_ = self.types[name]
        for _ in range(size - len(values)):
            values.append(getattr(layout, type_)() if type_ in layout.RECORDS else 0)

    def size(self, name: str) -> int:
        return len(self._arrays[name] if self.compiled else getattr(self._machine, name))

    def __getitem__(self, name: str) -> Any:
        """A number of the machine."""
        value = self._machine[name][0] if self.compiled else getattr(self._machine, name)
        return value if hasattr(value, "__len__") else int(value)

    def __setitem__(self, name: str, value: Any) -> None:
        if self.compiled:
            self._machine[name] = value
        else:
            setattr(self._machine, name, list(value) if hasattr(value, "__len__") else int(value))
