# SPDX-License-Identifier: Apache-2.0
"""`make bench`: ratios measured side by side in one process, printed as a table and written as JSON.

Nothing here is asserted: machines are shared, and a test that measures time fails for reasons of its own.
"""

import argparse
import json
import subprocess
import sysconfig
import time
from pathlib import Path

import numpy as np
import onnx
from loops import TRIPS, measure_growth, save_counting
from models import branch_chain, convolutions, distinct_branch_chain
from rewriting import measure_gates, measure_whole

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "build" / "release"


def compile_model(model: onnx.ModelProto, name: str, folder: Path) -> tuple[Path, float]:
    """The package, and the seconds that compiling took."""
    source, package = folder / f"{name}.onnx", folder / f"{name}.dycl"
    onnx.save_model(model, source)
    start = time.perf_counter()
    subprocess.run([NATIVE / "dycl", "compile", "-q", source, "-o", package, "--threads", "1"], check=True)
    return package, time.perf_counter() - start


def measure_native(folder: Path, rounds: int) -> list[dict]:
    """The executor against the backend's own calls: many tiny sub-DNNs, and single larger ones."""
    results = []
    for name, model, repeats in [
        ("100 tiny sub-DNNs", branch_chain(100), 20),
        ("one tiny sub-DNN", branch_chain(1), 2000),
        ("one sub-DNN, 2 convolutions", convolutions(2), 20),
        ("one sub-DNN, 8 convolutions", convolutions(8), 5),
    ]:
        package, _ = compile_model(model, name.replace(" ", "_").replace(",", ""), folder)
        results.append(against_the_backend(package, name, rounds, repeats))
    results.append(against_the_backend(save_counting(folder), f"a loop of {TRIPS} trips", rounds, 5, TRIPS))
    return results


def against_the_backend(package: Path, name: str, rounds: int, repeats: int, trips: int = 1) -> dict:
    counts = [str(count) for count in (rounds, repeats, trips)]
    command = [NATIVE / "dycl_bench", *counts, sysconfig.get_path("platlib"), package]
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)[0]
    return answer | {"name": name, "package": package.name}


def measure_compile(folder: Path, lengths: list[int]) -> list[dict]:
    results = []
    for length in lengths:
        _, seconds = compile_model(distinct_branch_chain(length), f"chain_{length}", folder)
        results.append({"branches": length, "seconds": seconds, "ms_per_branch": seconds / length * 1e3})
    return results


def print_tables(native: list[dict], compiling: list[dict]) -> None:
    print(f"{'one thread':<30}{'ours':>12}{'backend':>12}{'ratio':>8}{'p10..p90':>14}{'dispatch':>14}")
    for row in native:
        ratio, ours, direct = row["ratio"], row["ours_us"]["p50"], row["direct_us"]["p50"]
        print(
            f"{row['name']:<30}{ours:>9.2f} us{direct:>9.2f} us{ratio['p50']:>8.3f}"
            f"{ratio['p10']:>8.3f}..{ratio['p90']:.2f}{row['dispatch_us_per_subnet']:>8.3f} us/call"
        )
    print(f"\n{'compiling a chain of':<30}{'time':>12}{'per branch':>14}")
    for row in compiling:
        print(
            f"{row['branches']:>5} branches{'':<16}{row['seconds']:>10.2f} s{row['ms_per_branch']:>11.2f} ms"
        )
    print_growth(compiling, "branches")


def print_growth(rows: list[dict], size: str) -> None:
    if len(rows) > 1:
        sizes, times = ([row[key] for row in rows] for key in (size, "seconds"))
        power = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        print(f"time grows like size^{power:.2f} (1 is linear)")


def print_rewriting(gates: list[dict], whole: dict) -> None:
    print(f"\n{'rewriting PyTorch, our part':<30}{'time':>12}{'per leaf call':>15}{'blocks':>9}{'torch':>10}")
    for row in gates:
        print(
            f"{row['gates']:>5} gates{'':<19}{row['seconds']:>10.2f} s{row['ms_per_call']:>12.3f} ms"
            f"{row['blocks']:>9}{row['torch_seconds']:>8.2f} s"
        )
    print_growth(gates, "gates")
    print(f"\n{'compiling ' + whole['model']:<30}{'DyCL':>12}{'torch.compile':>15}{'ratio':>9}")
    print(f"{'':<30}{whole['dycl']:>10.2f} s{whole['torch_compile']:>13.2f} s{whole['ratio']:>9.1f}")


def print_growing_cache(rows: list[dict]) -> None:
    print(f"\n{'a step with a growing cache':<30}{'ours':>12}{'eager':>12}{'ratio':>8}")
    for row in rows:
        times = f"{row['ours_us']:>9.1f} us{row['eager_us']:>9.1f} us"
        print(f"{row['steps']:>5} steps{'':<19}{times}{row['ratio']:>8.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--chains", type=int, nargs="*", default=[250, 500, 1000])
    parser.add_argument("--gates", type=int, nargs="*", default=[250, 500, 1000, 2000, 4000])
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench" / "results.json")
    arguments = parser.parse_args()
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    native = measure_native(folder, arguments.rounds)
    compiling = measure_compile(folder, arguments.chains)
    print_tables(native, compiling)
    gates, whole = measure_gates(arguments.gates), measure_whole()
    print_rewriting(gates, whole)
    growth = measure_growth([50, 100, 200, 400, 800])
    print_growing_cache(growth)
    results = {"native": native, "compile": compiling, "rewriting": gates, "whole": whole, "growth": growth}
    arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nwrote {arguments.json}")


if __name__ == "__main__":
    main()
