/* verdict.c - who won, in words.
 *
 * Of two algorithms, the one with the smaller interquartile mean over seeds is ahead; it has won if
 * its bootstrap interval ends below where the other's begins. Intervals that meet decide nothing,
 * and nor does a single seed. */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The algorithm with the least mean; the first of several. */
static int64_t find_best(const fy_summary *over, int64_t count)
{
    int64_t best = 0;
    for (int64_t a = 1; a < count; a++)
        if (over[a].iqm < over[best].iqm)
            best = a;
    return best;
}

/* "b", "b and c", "b, c and d": those whose intervals meet that of the best. Returns how many. */
static int64_t list_rivals(const fy_compare *compare, const fy_summary *over, int64_t best,
                           fy_writer *text)
{
    int64_t rivals = 0, told = 0;
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        rivals += a != best && over[a].low <= over[best].high;
    for (int64_t a = 0; a < compare->what->algorithms && text; a++) {
        if (a == best || over[a].low > over[best].high)
            continue;
        fy_print(text, "%s%s",
                 told == 0            ? ""
                 : told == rivals - 1 ? " and "
                                      : ", ",
                 compare->what->algorithm[a]);
        told++;
    }
    return rivals;
}

static void judge(const fy_compare *compare, const char *measure, const fy_summary *over,
                  fy_writer *text)
{
    int64_t best = find_best(over, compare->what->algorithms);
    char number[FY_NUMBER_SIZE];
    if (!(over[best].iqm < (double)compare->model->horizon)) {
        fy_print(text, "No %s says anything yet: the smallest is the horizon or more.\n", measure);
        return;
    }
    fy_print(text, "The smallest %s is that of %s, %s", measure, compare->what->algorithm[best],
             fy_number(over[best].iqm, number));
    int64_t rivals = list_rivals(compare, over, best, NULL);
    if (compare->what->seeds == 1) {
        fy_print(text, "; with a single seed this may be chance.\n");
    } else if (rivals == 0) {
        fy_print(text, ", and no other algorithm's interval reaches down to its own.\n");
    } else {
        fy_print(text, "; %" PRId64 " seeds do not tell it apart from ", compare->what->seeds);
        list_rivals(compare, over, best, text);
        fy_print(text, ".\n");
    }
}

foray_status fy_compare_verdict(const fy_compare *compare, fy_writer *text)
{
    static const struct {
        int measure;
        const char *words;
    } judged[] = {{FY_M_worst, "worst gap"}, {FY_M_bound, "certificate for all rewards"}};
    foray_status status = FORAY_OK;
    fy_summary *over;
    if (compare->what->algorithms < 2)
        return FORAY_OK;
    if (!FY_ALLOC(compare->ctx, over, compare->what->algorithms))
        return FORAY_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof judged / sizeof *judged && status == FORAY_OK; i++) {
        for (int64_t a = 0; a < compare->what->algorithms && status == FORAY_OK; a++)
            status = fy_compare_last(compare, a, judged[i].measure, &over[a]);
        if (status == FORAY_OK)
            judge(compare, judged[i].words, over, text);
    }
    free(over);
    return status;
}
