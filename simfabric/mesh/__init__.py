"""The cycle-level machine.

    mesh = Mesh(image)                          # mitools.image.Image; arch=… to override the table
    reason = mesh.run(cycles=100_000, threads=2)    # Stop.QUIET, LIMIT, ERROR or INTERRUPTED
    mesh.cycles, mesh.error
    mesh.tile(y, x)                             # TileState: threads, queues, colors, tasks
    mesh.waiting()                              # (ys, xs) of PEs where a thread waits
    mesh.router_clean()                         # all FIFOs and lanes empty
    mesh.counters()                             # name -> (height, width) array
    mesh.memory(y, x, start, count)             # uint16 words
    mesh.pages()                                # page table and pages, for cores
    mesh.log(tiles=(x0, y0, x1, y1), first=0, last=1000)   # before run; then mesh.events()

`COMPILED` tells whether the hot modules run compiled. The environment variable
`WOLFRAMITE_PURE=1` selects their uncompiled source; both give the same results.
"""
