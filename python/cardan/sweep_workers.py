"""Points of a sweep run by others: workers of Dask, processes of an Executor."""

from __future__ import annotations

import functools
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import Diagnostic, Error

Progress = Callable[[int, int, int], None]


@functools.lru_cache(maxsize=4)
def _ready(about: str) -> _core.ReadySweep:
    return _core.ReadySweep.read(about)


def check_version(version: str, whose: str) -> None:
    if version != _core.version():
        raise Error(
            [Diagnostic("io.other-version", "error", f"{whose} has version {version}", f"version {_core.version()}")]
        )


def run_chunk(about: str, numbers: list[int]) -> list[Any]:
    """What a worker does: some points of a sweep, from the text that says what was asked for."""
    asked = json.loads(about)["version"]
    if asked != _core.version():
        raise _other_version({_this_worker(): _core.version()}, asked)
    return list(_ready(about).run(numbers))


def _this_worker() -> str:
    if "distributed" in sys.modules:
        from distributed import get_worker

        try:
            return str(get_worker().address)
        except ValueError:  # none of Dask
            pass
    return f"process {os.getpid()} on {platform.node()}"


def _other_version(versions: Mapping[str, str], asked: str) -> Error:
    found = ", ".join(f"worker {name} with {v}" for name, v in versions.items())
    return Error([Diagnostic("io.other-version", "error", found, f"version {asked} of the sweep")])


def _version_here() -> str:
    return f"version {_core.version()}"


def run_elsewhere(
    ready: _core.ReadySweep, store: _core.SweepStore, client: Any, executor: Any, chunk: int, told: Progress | None
) -> None:
    missing = list(store.missing(ready))
    about, count = ready.about(), ready.count()
    size = chunk or max(1, min(200, len(missing) // 64))
    chunks = [missing[k : k + size] for k in range(0, len(missing), size)]
    done, failed = count - len(missing), 0
    work = functools.partial(run_chunk, about)
    measures = len(ready.columns()[1])

    def lost(number: int, why: str) -> tuple[Any, ...]:
        text = f"its worker was lost, or could not run it: {why}"
        fault = json.dumps([{"id": "io.worker-lost", "severity": "error", "found": text}])
        return number, "failed", "io.worker-lost", fault, list(ready.point(number)), [np.nan] * measures, [], b""

    for rows in _by_dask(client, work, chunks, lost) if client is not None else _by_executor(executor, work, chunks):
        store.add(rows)
        done += len(rows)
        failed += sum(row[1] == "failed" for row in rows)
        if told is not None:
            told(done, count, failed)


def _by_executor(executor: Any, work: Callable[[list[int]], Any], chunks: Sequence[list[int]]) -> Iterator[list[Any]]:
    import concurrent.futures

    futures = [executor.submit(work, numbers) for numbers in chunks]
    try:
        for future in concurrent.futures.as_completed(futures):
            yield future.result()
    except concurrent.futures.BrokenExecutor as fault:
        hint = "the points that are done are stored: resume_sweep(folder) goes on"
        raise Error([Diagnostic("io.worker-lost", "error", f"workers that ended: {fault}", hint=hint)]) from fault
    finally:
        for future in futures:
            future.cancel()


def _by_dask(
    client: Any,
    work: Callable[[list[int]], Any],
    chunks: Sequence[list[int]],
    lost: Callable[[int, str], tuple[Any, ...]],
) -> Iterator[list[Any]]:
    """Points whose workers are lost again and again are run one after the other; one that is lost alone has failed."""
    from dask.distributed import CancelledError, KilledWorker, as_completed

    here = _version_here()
    found = client.run(_version_here, on_error="return")  # an exception where there is no package
    others = {name: v if isinstance(v, str) else f"no package cardan ({v})" for name, v in found.items() if v != here}
    if others:
        raise _other_version(others, _core.version())
    suspects: list[int] = []  # whatever waits at a worker that is lost is suspected with what it ran

    def result_of(future: Any) -> list[Any] | None:
        try:
            return list(future.result())
        except (KilledWorker, CancelledError, MemoryError) as fault:  # others end the sweep: no point is at fault
            reasons[future.key] = f"{type(fault).__name__}: {fault}"
            return None

    reasons: dict[str, str] = {}
    futures = client.map(work, chunks, pure=False, retries=3)
    asked = dict(zip((f.key for f in futures), chunks, strict=True))
    try:
        for future in as_completed(futures):
            rows = result_of(future)
            if rows is not None:
                yield rows
            else:
                suspects += asked[future.key]
        for number in sorted(suspects):
            alone = client.submit(work, [number], pure=False)
            futures.append(alone)
            rows = result_of(alone)
            yield rows if rows is not None else [lost(number, reasons[alone.key])]
    finally:
        client.cancel(futures)


__all__ = ["check_version", "run_chunk", "run_elsewhere"]
