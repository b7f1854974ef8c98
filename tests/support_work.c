/* support_work.c - see support_work.h. */
#include "support_work.h"

#include <math.h>

bool support_look(void *watch, const foray_work_progress *now)
{
    support_watch *w = watch;
    assert_int_equal(now->parts, w->parts);
    assert_true(now->finished >= w->last.finished && now->finished <= now->parts);
    assert_true(now->done >= w->last.done - 1e-9 && now->done <= 1.0 + 1e-9);
    assert_true(now->seconds >= w->last.seconds);
    assert_true(isnan(now->remaining) || now->remaining >= 0.0);
    w->last = *now;
    return now->finished < w->stop_after;
}
