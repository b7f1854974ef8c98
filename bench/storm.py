"""What Storm takes for the model of a UMB file: python3 bench/storm.py FILE HORIZON REPEATS

Prints the seconds of a processor that loading it and computing the largest expected reward of so many
steps take, each the best of several, and its value in the first initial state. bench_sweep runs it
where stormpy is installed; nothing else uses it.
"""

import sys
import time

import stormpy


def best(repeats, work):
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        result = work()
        seconds.append(time.process_time() - begin)
    return min(seconds), result


def main():
    path, horizon, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    loading, model = best(repeats, lambda: stormpy.build_model_from_umb(path))
    formula = stormpy.parse_properties(f"Rmax=? [C<={horizon}]")[0]
    computing, result = best(repeats, lambda: stormpy.model_checking(model, formula))
    print(loading, computing, result.get_value(model.initial_states[0]))


main()
