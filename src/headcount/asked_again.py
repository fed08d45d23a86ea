"""A question that was written down as plain data, checked like one that is typed."""

from inspect import signature
from typing import Any

from headcount.asked import heavy_question, profile_question, question, top_question, total_question
from headcount.asked_distribution import distribution_question
from headcount.asked_numbers import quantiles_question, ranges_question
from headcount.asked_shape import shape_question
from headcount.question import Question


def from_plain(job: str, plain: dict[str, Any]) -> Question:
    """The question that was written as plain data, checked like one that is typed."""
    asked = {name: value for name, value in plain.items() if name not in ("view", "of", "where")}
    if job == "profile":
        return profile_question(user=asked["user"], by=plain["of"], neighbours=asked["neighbours"])
    if job in ("quantiles", "ranges"):
        return _numbers(job, plain)
    if job in ("shape", "distribution"):
        made = shape_question if job == "shape" else distribution_question
        own = {name: asked[name] for name in signature(made).parameters}
        return made(**{**own, "bins": dict(asked["bins"]) or None})
    if job == "heavy_hitters":
        own = {name: asked[name] for name in signature(heavy_question).parameters if name != "share"}
        return heavy_question(share=asked["heavy"], **own)
    if job == "top":
        own = {name: asked[name] for name in ("user", "by", "k", "target_error", "variant", "kbar", "neighbours")}
        return top_question(**own, count="users" if asked["told"] else "none")
    if job == "total":
        told = {name: values if ends is None else tuple(ends) for name, values, ends in plain["where"]}
        own = {name: asked[name] for name in signature(total_question).parameters if name != "where"}
        return total_question(where=told or None, **own)
    own = {name: asked[name] for name in signature(question).parameters}
    return question(**{**own, "bins": dict(asked["bins"]) or None})


def _numbers(job: str, plain: dict[str, Any]) -> Question:
    """Quantiles, or ranges."""
    names = ("user", "bound", "share", "mechanism", "p", "theta", "rule", "neighbours")
    own = {**{name: plain[name] for name in names}, "value": plain["of"][0]}
    if job == "ranges":
        return ranges_question(**own, ranges=plain["ranges"])
    edges, cells = plain["axis"]["edges"], plain["axis"]["cells"]
    scale = {"range": edges, "cells": cells} if len(edges) == 2 else {"edges": edges}
    return quantiles_question(**own, q=plain["q"], **scale)
