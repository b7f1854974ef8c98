"""The C interface as ctypes sees it: one table of functions, and the structs they take.

Everything that Foray does happens in the C library; nothing here computes anything. The table below
mirrors include/foray/foray.h and lab.h, and tests/test_library.py compares both with the headers.

Why ctypes and not cffi: no compiler is needed beyond the one that builds the library, one wheel
serves every Python from 3.10 on, calls release the GIL, and what is dear in it (a call back into
Python costs a microsecond or two) happens once in an episode and not once in a step.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

# ------------------------------------------------------------------------------------ structs


class ParameterValue(Structure):
    _fields_ = [("integer", c_int64), ("real", c_double)]


class OwnParameter(Structure):
    _fields_ = [("name", c_char * 32), ("value", ParameterValue)]


class Settings(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("algorithm", c_char * 64),
        ("episodes", c_int64),
        ("until", c_double),
        ("seed", c_int64),
        ("delta", c_double),
        ("radius", c_int),
        ("radius_scale", c_double),
        ("centring", c_int),
        ("blocks", c_int),
        ("lambda", c_double),
        ("inner", c_int),
        ("inner_memory", c_int64),
        ("replan", c_int),
        ("replan_growth", c_double),
        ("clip", c_int),
        ("ties", c_int),
        ("refactor_every", c_int64),
        ("own", OwnParameter * 16),
        ("plan_every", c_int64),
    ]


class Draw(Structure):
    _fields_ = [("seed", c_uint64), ("episode", c_uint64), ("step", c_uint32)]


class Parameter(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("fallback", c_char_p),
        ("min", c_double),
        ("max", c_double),
        ("choices", c_char_p),
        ("help", c_char_p),
    ]


class WorldInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("parameters", c_int64),
        ("parameter", POINTER(Parameter)),
    ]


class ModelFacts(Structure):
    _fields_ = [
        ("pairs", c_int64),
        ("transitions", c_int64),
        ("max_successors", c_int64),
        ("features", c_int64),
        ("generator_sets", c_int64),
        ("blocks", c_int64),
        ("unknowns", c_int64),
        ("largest_block", c_int64),
        ("vertices", c_int64),
        ("bytes", c_int64),
        ("psi_norm", c_double),
        ("psi_norm_exact", c_bool),
        ("psi_norm_state", c_int64),
        ("psi_norm_action", c_int64),
        ("theta_norm", c_double),
        ("worst_sum", c_double),
        ("min_probability", c_double),
    ]


class ImportOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("horizon", c_int64),
        ("initial", c_char_p),
        ("laws", c_char_p),
        ("forget_theta", c_bool),
        ("format", c_char_p),
    ]


class ImportFacts(Structure):
    _fields_ = [("rows", c_int64), ("ends", c_int64), ("twins", c_int64)]


class Label(Structure):
    _fields_ = [("name", c_char_p), ("count", c_int64), ("state", POINTER(c_int64))]


class RewardFacts(Structure):
    _fields_ = [
        ("low", c_double),
        ("high", c_double),
        ("discount", c_double),
        ("truncation", c_double),
        ("minimise", c_bool),
        ("looks_ahead", c_bool),
        ("stops", c_bool),
    ]


class CertificateStruct(Structure):
    _fields_ = [
        ("gap", c_double),
        ("delta", c_double),
        ("radius", c_int),
        ("bound", c_int),
        ("status", c_int),
        ("optimal", c_int),
        ("vacuous", c_bool),
    ]


class MemoryStruct(Structure):
    _fields_ = [
        ("states", c_int64),
        ("letters", c_int64),
        ("letter", POINTER(c_int32)),
        ("next", POINTER(c_int32)),
    ]


class PolicyStruct(Structure):
    _fields_ = [
        ("states", c_int64),
        ("actions", c_int64),
        ("horizon", c_int64),
        ("mode", c_int),
        ("action", POINTER(c_int32)),
        ("value", c_double * 3),
        ("expected", c_double),
        ("low", c_double),
        ("high", c_double),
        ("certificate", CertificateStruct),
        ("about", c_void_p),
        ("chance", POINTER(c_double)),
        ("parts", c_int64),
        ("odds", POINTER(c_double)),
        ("covered", c_int64),
        ("state", POINTER(c_int32)),
        ("memory", POINTER(MemoryStruct)),
    ]


class DifferenceStruct(Structure):
    _fields_ = [
        ("expected", c_double),
        ("low", c_double),
        ("high", c_double),
        ("certificate", CertificateStruct),
    ]


class DoubtPlace(Structure):
    _fields_ = [("step", c_int64), ("state", c_int64), ("action", c_int64), ("share", c_double)]


class DoubtLaw(Structure):
    _fields_ = [
        ("block", c_int64),
        ("state", c_int64),
        ("action", c_int64),
        ("pairs", c_int64),
        ("visits", c_int64),
        ("share", c_double),
        ("more", c_double),
    ]


class Doubt(Structure):
    _fields_ = [
        ("gap", c_double),
        ("places", c_int64),
        ("laws", c_int64),
        ("place", POINTER(DoubtPlace)),
        ("law", POINTER(DoubtLaw)),
    ]


class FrontStruct(Structure):
    _fields_ = [
        ("rewards", c_int64),
        ("policies", c_int64),
        ("corners", c_int64),
        ("scale", POINTER(c_double)),
        ("policy", POINTER(c_void_p)),
        ("value", POINTER(c_double)),
        ("low", POINTER(c_double)),
        ("high", POINTER(c_double)),
        ("centre", POINTER(c_double)),
        ("corner", POINTER(c_double)),
        ("top", POINTER(c_double)),
        ("loss", POINTER(c_double)),
        ("certificate", CertificateStruct),
        ("worst_corner", c_int64),
        ("worst_policy", c_int64),
        ("gain", c_double),
        ("full", c_bool),
        ("plans", c_int64),
        ("certificates", c_int64),
    ]


class LimitStruct(Structure):
    _fields_ = [("reward", c_void_p), ("bound", c_double), ("at_most", c_bool)]


class LimitedStruct(Structure):
    _fields_ = [
        ("outcome", c_int),
        ("policy", c_void_p),
        ("limits", c_int64),
        ("value", POINTER(c_double)),
        ("low", POINTER(c_double)),
        ("high", POINTER(c_double)),
        ("price", POINTER(c_double)),
        ("needed", c_double),
        ("top", c_double),
        ("doubt", POINTER(Doubt)),
        ("plans", c_int64),
        ("certificates", c_int64),
    ]


class ExplorerFacts(Structure):
    _fields_ = [
        ("episodes", c_int64),
        ("plans", c_int64),
        ("refactored", c_int64),
        ("factor_error", c_double),
        ("inner", c_char_p),
        ("inner_ratio", c_double),
        ("log_det", c_double),
    ]


class Progress(Structure):
    _fields_ = [
        ("episodes", c_int64),
        ("saved", c_int64),
        ("budget", c_int64),
        ("plans", c_int64),
        ("bound", c_double),
        ("seconds", c_double),
        ("workers", c_int64),
        ("discarded", c_int64),
    ]


class WorkProgress(Structure):
    _fields_ = [
        ("parts", c_int64),
        ("finished", c_int64),
        ("done", c_double),
        ("seconds", c_double),
        ("remaining", c_double),
    ]


class Shard(Structure):
    _fields_ = [("number", c_int64), ("of", c_int64)]


class Figure(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("width", c_double),
        ("height", c_double),
        ("points", c_double),
        ("font", c_char_p),
        ("untitled", c_bool),
    ]


class Comparison(Structure):
    _fields_ = [
        ("settings", Settings),
        ("algorithms", c_int64),
        ("algorithm", POINTER(c_char_p)),
        ("seeds", c_int64),
        ("seconds", c_double),
        ("mode", c_int),
        ("rewards", c_int64),
        ("goals", c_int64),
        ("rounds", c_int64),
        ("reward", c_void_p),
        ("reality", c_void_p),
        ("shard", Shard),
        ("figure", Figure),
    ]


class LabOptions(Structure):
    _fields_ = [
        ("quick", c_bool),
        ("settings", c_int64),
        ("setting", POINTER(c_char_p)),
        ("shard", Shard),
        ("figure", Figure),
    ]


class LabInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("question", c_char_p),
        ("description", c_char_p),
        ("example", c_char_p),
        ("parameters", c_int64),
        ("parameter", c_void_p),
    ]


class OwnValue(Structure):
    _fields_ = [
        ("state", c_int64),
        ("action", c_int64),
        ("next", c_int64),
        ("low", c_double),
        ("high", c_double),
        ("count", c_int64),
    ]


class OwnStruct(Structure):
    _fields_ = [
        ("low", c_double),
        ("high", c_double),
        ("total_low", c_double),
        ("total_high", c_double),
        ("guessed", c_bool),
        ("count", c_int64),
        ("value", POINTER(OwnValue)),
    ]


class Refutation(Structure):
    _fields_ = [
        ("refuted", c_bool),
        ("episodes", c_int64),
        ("evidence", c_double),
        ("limit", c_double),
        ("coordinate", c_int64),
        ("state", c_int64),
        ("action", c_int64),
        ("next", c_int64),
        ("estimate", c_double),
        ("half_width", c_double),
    ]


# ---------------------------------------------------------------------------------- callbacks

RESET = CFUNCTYPE(c_int, c_void_p, POINTER(Draw), POINTER(c_int64))
STEP = CFUNCTYPE(c_int, c_void_p, POINTER(Draw), c_int64, c_int64, POINTER(c_int64))
RELEASE = CFUNCTYPE(None, c_void_p)
MESSAGE = CFUNCTYPE(c_void_p, c_void_p)
ENDED = CFUNCTYPE(c_bool, c_void_p)
EPISODE = CFUNCTYPE(c_int, c_void_p, POINTER(Draw), c_int64, c_int64, c_void_p, c_void_p)
SYSTEM_RESET = CFUNCTYPE(c_int, c_void_p, POINTER(Draw), c_void_p)
SYSTEM_STEP = CFUNCTYPE(c_int, c_void_p, c_int64, c_void_p, c_void_p, c_void_p)
PROGRESS = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))
WORK = CFUNCTYPE(c_bool, c_void_p, POINTER(WorkProgress))
EPISODES = CFUNCTYPE(c_bool, c_void_p, c_int64, c_void_p, c_void_p)
TRACE = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64, c_double)
PLANS = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64, c_char_p, c_char_p, POINTER(PolicyStruct))


class WorldOps(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("reset", RESET),
        ("step", STEP),
        ("destroy", RELEASE),
        ("message", MESSAGE),
        ("ended", ENDED),
        ("episode", EPISODE),
        ("cut", ENDED),
        ("aggregated", c_bool),
    ]


class SystemSpec(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("states", c_int64),
        ("dimensions", c_int64),
        ("actions", c_int64),
        ("horizon", c_int64),
        ("simulators", c_int64),
        ("low", POINTER(c_double)),
        ("high", POINTER(c_double)),
        ("dimension_name", POINTER(c_char_p)),
        ("action_name", POINTER(c_char_p)),
        ("rewards", c_int64),
        ("reward_name", POINTER(c_char_p)),
        ("lipschitz", c_double),
    ]


class SystemOps(Structure):
    """Only its first members are used here: a system that is there for its clusters alone."""

    _fields_ = [
        ("size", c_size_t),
        ("reset", SYSTEM_RESET),
        ("step", SYSTEM_STEP),
        ("weights", c_void_p),
        ("reward", c_void_p),
        ("threads", c_bool),
        ("deterministic", c_bool),
        ("message", c_void_p),
        ("destroy", c_void_p),
        ("sequential", c_bool),
        ("ended", c_void_p),
    ]


# ---------------------------------------------------------------------------------- functions

_TYPES: dict[str, Any] = {
    "void": None,
    "status": c_int,
    "int": c_int,
    "bool": c_bool,
    "i32": c_int32,
    "i64": c_int64,
    "u64": c_uint64,
    "u32": c_uint32,
    "f64": c_double,
    "size": c_size_t,
    "str": c_char_p,
    "ptr": c_void_p,
}

# What a function returns, its name, and what it takes.
FUNCTIONS = """
str    foray_version
void   foray_free                       ptr
ptr    foray_context_create
void   foray_context_destroy            ptr
str    foray_message                    ptr
void   foray_context_set_threads        ptr int
void   foray_context_set_stop           ptr ptr ptr
bool   foray_context_stop_flag          ptr

void   foray_settings_init              ptr size
status foray_settings_set               ptr ptr str str
status foray_settings_get               ptr ptr str ptr size
status foray_settings_check             ptr ptr
void   foray_settings_literal           ptr
ptr    foray_setting_describe           str i64
bool   foray_algorithm_describe         i64 ptr ptr
bool   foray_algorithm_needs_reward     str
bool   foray_algorithm_is_generative    str
bool   foray_world_describe             i64 ptr

void   foray_model_destroy              ptr
ptr    foray_model_share                ptr
str    foray_model_name                 ptr
i64    foray_model_states               ptr
i64    foray_model_actions              ptr
i64    foray_model_horizon              ptr
i64    foray_model_dim                  ptr
ptr    foray_model_theta                ptr
i64    foray_model_unknowns             ptr
bool   foray_model_is_unstructured              ptr
bool   foray_model_available            ptr i64 i64
i64    foray_model_successors           ptr i64 i64 ptr
f64    foray_model_probability          ptr ptr i64 i64 i64
i64    foray_model_initial              ptr ptr ptr
str    foray_model_state_name           ptr i64
str    foray_model_action_name          ptr i64
bool   foray_model_grid                 ptr ptr ptr
bool   foray_model_cell                 ptr i64 ptr ptr
status foray_model_check                ptr ptr ptr
bool   foray_model_equal                ptr ptr
status foray_model_load                 ptr str ptr
status foray_model_parse                ptr ptr size str ptr
status foray_model_print                ptr ptr int ptr ptr
status foray_model_save                 ptr ptr int str
status foray_model_import               ptr ptr i64 ptr ptr ptr ptr
status foray_model_builtin              ptr str ptr

status foray_builder_create             ptr i64 i64 i64 i64 f64 ptr
status foray_builder_create_mixture     ptr i64 i64 i64 i64 ptr
status foray_builder_create_classes     ptr i64 i64 i64 i64 ptr ptr
status foray_builder_create_tabular     ptr i64 i64 i64 ptr
void   foray_builder_destroy            ptr
void   foray_builder_feature            ptr i64 i64 i64 i64 ptr ptr
void   foray_builder_theta              ptr ptr
void   foray_builder_simulator          ptr i64 i64 i64 i64 f64
void   foray_builder_weights            ptr ptr
void   foray_builder_outcomes           ptr i64 i64 i64 ptr
void   foray_builder_law                ptr i64 ptr
void   foray_builder_transition         ptr i64 i64 i64 f64
void   foray_builder_available          ptr i64 i64 ptr
void   foray_builder_forget_theta       ptr
void   foray_builder_initial            ptr i64 f64
void   foray_builder_name               ptr str
void   foray_builder_state_name         ptr i64 str
void   foray_builder_action_name        ptr i64 str
void   foray_builder_grid               ptr i64 i64
void   foray_builder_cell               ptr i64 i64 i64
status foray_builder_finish             ptr ptr

f64    foray_draw_uniform               ptr u32
i64    foray_draw_action                ptr ptr i64 i64
status foray_world_create               ptr ptr ptr ptr
status foray_world_from_model           ptr ptr ptr
void   foray_world_destroy              ptr
status foray_world_reset                ptr ptr ptr
status foray_world_step                 ptr ptr i64 i64 ptr
status foray_world_advance              ptr i64 ptr ptr ptr ptr

status foray_reward_create              ptr ptr str f64 f64 f64 ptr
status foray_reward_create_reach        ptr ptr str i64 ptr i64 ptr ptr
status foray_reward_create_task         ptr ptr str str i64 ptr ptr
void   foray_reward_destroy             ptr
status foray_reward_set                 ptr ptr i64 i64 i64 f64
status foray_reward_set_next            ptr ptr i64 i64 i64 i64 f64
status foray_reward_set_discount        ptr ptr f64
status foray_reward_set_minimise        ptr ptr bool
str    foray_reward_name                ptr
f64    foray_reward_at                  ptr i64 i64 i64
f64    foray_reward_next_at             ptr i64 i64 i64 i64
void   foray_reward_describe            ptr ptr
status foray_reward_load                ptr ptr str ptr
status foray_reward_parse               ptr ptr str size str ptr
status foray_reward_print               ptr ptr ptr ptr

str    foray_mode_name                  int
str    foray_radius_name                int
str    foray_bound_name                 int
str    foray_certificate_status         ptr
str    foray_certificate_because        ptr
str    foray_certificate_optimal        ptr
str    foray_certificate_verdict        ptr
i32    foray_policy_action              ptr i64 i64
void   foray_policy_destroy             ptr
status foray_policy_create              ptr ptr int ptr
status foray_policy_create_drawing      ptr ptr ptr ptr
status foray_policy_mix                 ptr i64 ptr ptr ptr
i64    foray_policy_draw                ptr ptr i64
i64    foray_policy_read                ptr ptr i64
i64    foray_policy_part                ptr ptr
status foray_policy_load                ptr str ptr
status foray_policy_save                ptr ptr str
status foray_policy_parse               ptr str size str ptr
status foray_policy_print               ptr ptr ptr ptr
status foray_policy_complete            ptr ptr ptr ptr
status foray_evaluate                   ptr ptr ptr ptr ptr ptr
status foray_plan_known                 ptr ptr ptr ptr

status foray_explorer_plan              ptr i64 ptr int ptr
status foray_explorer_compare           ptr ptr ptr ptr ptr
status foray_explorer_certify           ptr ptr ptr
status foray_explorer_certify_by        ptr int
status foray_explorer_explain           ptr ptr ptr f64 ptr
void   foray_doubt_destroy              ptr
void   foray_doubt_law_name             ptr ptr size
status foray_explorer_bound             ptr int ptr
status foray_explorer_describe          ptr ptr
status foray_explorer_estimate          ptr ptr ptr
status foray_explorer_intervals         ptr ptr ptr ptr
status foray_explorer_refutation        ptr ptr
void   foray_refutation_print           ptr ptr ptr size

status foray_explorer_tradeoff          ptr i64 ptr ptr i64 f64 ptr
status foray_tradeoff_known             ptr ptr i64 ptr ptr i64 f64 ptr
void   foray_front_destroy              ptr
i64    foray_front_choose               ptr ptr ptr
status foray_explorer_plan_limited      ptr ptr i64 ptr ptr
status foray_plan_known_limited         ptr ptr ptr i64 ptr ptr
void   foray_limited_destroy            ptr

status foray_run_create                 ptr str int ptr str ptr ptr
status foray_run_open                   ptr str int ptr
status foray_run_give_reward            ptr ptr
status foray_run_close                  ptr
ptr    foray_run_model                  ptr
status foray_run_is_of                  ptr ptr ptr
ptr    foray_run_settings               ptr
str    foray_run_world                  ptr
ptr    foray_run_explorer               ptr
i64    foray_run_saved                  ptr
status foray_run_extend                 ptr i64
status foray_run_set_until              ptr f64
status foray_run_set_targets            ptr i64 ptr
status foray_run_explore                ptr i64 ptr ptr ptr
status foray_run_save                   ptr
status foray_run_learn                  ptr i64 ptr ptr
status foray_run_learn_file             ptr str ptr ptr
status foray_run_plan                   ptr i64 ptr int ptr
status foray_run_keep_own               ptr ptr
bool   foray_run_own                    ptr ptr
status foray_run_own_reward             ptr int ptr
status foray_run_own_plan               ptr int bool ptr
status foray_run_own_certify            ptr ptr
status foray_run_complete_policy        ptr ptr ptr
status foray_run_episodes               ptr i64 ptr ptr
status foray_run_plans                  ptr ptr ptr
status foray_run_trace                  ptr ptr ptr
status foray_run_verify                 ptr

status foray_system_create              ptr ptr ptr ptr ptr
void   foray_system_destroy             ptr
status foray_clusters_parse             ptr ptr str ptr
void   foray_clusters_destroy           ptr
i64    foray_clusters_count             ptr
i64    foray_clusters_max              ptr
i64    foray_clusters_of                ptr ptr ptr ptr
void   foray_clusters_centre            ptr i64 ptr
i64    foray_policy_act                 ptr ptr i64 ptr
status foray_policy_keep_clusters       ptr ptr ptr

status foray_report_print               ptr ptr ptr
status foray_report_save                ptr str
status foray_report_figure              ptr ptr ptr ptr
void   foray_comparison_default         ptr
status foray_compare                    ptr ptr str ptr str ptr ptr
bool   foray_lab_describe               i64 ptr
status foray_lab_run                    ptr str ptr str ptr ptr
"""


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for line in FUNCTIONS.splitlines():
        words = line.split()
        if words:
            function = getattr(library, words[1])
            function.restype = _TYPES[words[0]]
            function.argtypes = [_TYPES[word] for word in words[2:]]
    return library


def _path() -> Path:
    """The library inside the package; FORAY_LIBRARY names another one, for those who work on it."""
    other = os.environ.get("FORAY_LIBRARY")
    return Path(other) if other else Path(__file__).with_name("libforay.so")


lib: Any = _declare(ctypes.CDLL(str(_path())))
