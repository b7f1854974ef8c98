/* words.h - texts numbered in the order in which they are first met. */
#ifndef FY_WORDS_H
#define FY_WORDS_H

#include "base/base.h"

typedef struct fy_words {
    fy_writer text; /* the words, each with a final 0 */
    int64_t count, room;
    int64_t *at;   /* [count] where in the text */
    int32_t *slot; /* open addressing: number + 1, or 0 */
    uint64_t mask;
} fy_words;

/* Begin with (fy_words){.text.ctx = ctx}. */
void fy_words_free(fy_words *words);

/* The number of a word, a new one if it was not met before. */
foray_status fy_words_number(fy_words *words, const char *word, int32_t *out);

static inline const char *fy_words_at(const fy_words *words, int64_t number)
{
    return (const char *)words->text.data + words->at[number];
}

/* Are all of them whole numbers from 0 on? *most receives the largest, -1 if there are none. */
bool fy_words_are_numbers(const fy_words *words, int64_t *max);

#endif
