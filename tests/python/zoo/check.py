# SPDX-License-Identifier: Apache-2.0
"""One model on one backend against eager: values, structure, decisions, edges, final predictions."""

import dycl

from zoo import measure


def checked(entry, backend, count, every_edge=True, **options):
    """Compares on so many inputs; the edges taken, and all that can be."""
    model, calls = entry.build(**options), entry.inputs(0, count)
    row = measure.measure(entry, model, backend, calls, measure.eager_results(model, calls))
    assert row["compiled"], row.get("refused")
    assert row["ok"], row
    assert row["error"] <= measure.TOLERANCES[backend]
    assert (row["inconsistent"], row["undecided"], row["decisions_differ"]) == (0, 0, 0)
    can_be = row["edges"] - row["edges_impossible"]
    if every_edge:
        assert row["edges_taken"] == can_be, row["not_taken"]
    return row["edges_taken"], can_be


def right_or_refused(model, calls, tolerance, **options):
    """ "right", or what the refusal says; never anything else."""
    try:
        with measure.quiet():
            program = dycl.compile(model, calls[0], threads=1, **options)
    except (dycl.UnsupportedError, dycl.BackendError) as error:
        return str(error).splitlines()[0]
    report = dycl.verify(program, model, calls, tolerance=tolerance, search=None)
    different = [one for one in report.inputs if one.status == "different"]
    assert not different, report
    assert any(one.status == "equal" for one in report.inputs), report
    return "right"
