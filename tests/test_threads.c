/* test_threads.c - work that threads share: every piece is done once, whoever does it. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/threads.h"

enum { PIECES = 1000, THREADS = 4 };

typedef struct tally {
    foray_context *ctx;
    int done[PIECES];   /* how often each piece was */
    int busy[THREADS];  /* pieces that a thread is in */
    int within[PIECES]; /* pieces that each piece shared in turn */
    bool twice;         /* a thread was in two pieces at once */
} tally;

static void count_piece(void *job, int64_t piece, int thread)
{
    tally *t = job;
    assert_in_range(thread, 0, THREADS - 1);
    if (t->busy[thread]++ > 0)
        t->twice = true;
    t->done[piece]++;
    t->busy[thread]--;
}

static void assert_once(const tally *t, int pieces)
{
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(t->done[i], i < pieces);
    assert_false(t->twice);
}

/* Few pieces and many, again and again: jobs follow one another before helpers have slept. */
static void test_once(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 5, 64, PIECES};
    foray_context *ctx = foray_context_create();
    for (int round = 0; round < 2000; round++) {
        tally t = {.ctx = ctx};
        int pieces = counts[round % FY_COUNT(counts)];
        fy_share(ctx, 1 + round / 7 % THREADS, pieces, count_piece, &t);
        assert_once(&t, pieces);
    }
    foray_context_destroy(ctx);
}

/* Nothing is lost of what is written by several threads, each in its own place. */
static void add_piece(void *job, int64_t piece, int thread)
{
    ((int64_t *)job)[thread * 64] += piece;
}

static void test_written(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int round = 0; round < 2000; round++) {
        int64_t sum[THREADS * 64] = {0};
        fy_share(ctx, THREADS, PIECES, add_piece, sum);
        assert_int_equal(sum[0] + sum[64] + sum[128] + sum[192], PIECES * (PIECES - 1) / 2);
    }
    foray_context_destroy(ctx);
}

static void count_within(void *job, int64_t piece, int thread)
{
    (void)piece;
    assert_int_equal(thread, 0);
    ++*(int *)job;
}

static void share_piece(void *job, int64_t piece, int thread)
{
    tally *t = job;
    fy_share(t->ctx, THREADS, 10, count_within, &t->within[piece]);
    count_piece(job, piece, thread);
}

static void test_within(void **state)
{
    (void)state;
    tally t = {.ctx = foray_context_create()};
    fy_share(t.ctx, THREADS, PIECES, share_piece, &t);
    assert_once(&t, PIECES);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(t.within[i], 10);
    foray_context_destroy(t.ctx);
}

/* A fork has none of the helpers, and must not wait for them. */
static void test_fork(void **state)
{
    (void)state;
    int how;
    tally t = {.ctx = foray_context_create()};
    fy_share(t.ctx, THREADS, PIECES / 2, count_piece, &t);
    pid_t child = fork();
    if (child == 0) {
        memset(t.done, 0, sizeof t.done);
        fy_share(t.ctx, THREADS, PIECES, count_piece, &t);
        for (int i = 0; i < PIECES; i++)
            if (t.done[i] != 1)
                _exit(1);
        foray_context_destroy(t.ctx);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    foray_context_destroy(t.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
