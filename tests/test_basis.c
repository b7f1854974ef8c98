/* test_form.c - blocks and centring against brute force and the definitions. */
#include "support.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const support_sizes sizes = {
    .states = 9, .actions = 3, .horizon = 5, .successors = 5, .dim = 6};

/* Calls `check` with random models of every kind and each of the four bases. */
static void for_all_forms(void (*check)(const fy_basis *basis))
{
    foray_context *ctx = foray_context_create();
    for (int kind = 0; kind < SUPPORT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            foray_model *model = support_model(ctx, kind, sizes, seed);
            for (int choice = 0; choice < 4; choice++) {
                fy_basis *basis;
                support_ok(ctx, fy_basis_create(ctx, model, choice & 1, choice & 2, &basis));
                check(basis);
                fy_basis_destroy(basis);
            }
            foray_model_destroy(model);
        }
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ blocks */

static bool generator_set_has(const foray_model *model, int64_t generator_set, int64_t coord)
{
    for (int64_t k = model->feat_start[model->gen_start[generator_set]];
         k < model->feat_start[model->gen_start[generator_set + 1]]; k++)
        if (model->feat_index[k] == coord)
            return true;
    return false;
}

/* Components by repeated spreading: slow, and obviously right. */
static void spread_labels(const foray_model *model, int64_t *label)
{
    for (int64_t i = 0; i < model->dim; i++)
        label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++)
            for (int64_t i = 0; i < model->dim; i++)
                for (int64_t j = 0; j < model->dim; j++)
                    if (label[i] < label[j] && generator_set_has(model, generator_set, i) &&
                        generator_set_has(model, generator_set, j)) {
                        label[j] = label[i];
                        changed = true;
                    }
    }
}

static bool coord_used(const foray_model *model, int64_t coord)
{
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++)
        if (generator_set_has(model, generator_set, coord))
            return true;
    return false;
}

static void check_blocks(const fy_basis *basis)
{
    const foray_model *model = basis->model;
    int64_t *label = calloc((size_t)model->dim, sizeof *label);
    spread_labels(model, label);
    for (int64_t i = 0; i < model->dim; i++)
        assert_int_equal(basis->block_of_coord[i] < 0, basis->blocked && !coord_used(model, i));
    for (int64_t i = 0; i < model->dim && basis->blocked; i++)
        for (int64_t j = 0; j < model->dim; j++)
            if (basis->block_of_coord[i] >= 0 && basis->block_of_coord[j] >= 0)
                assert_int_equal(label[i] == label[j],
                                 basis->block_of_coord[i] == basis->block_of_coord[j]);
    if (!basis->blocked)
        assert_int_equal(basis->blocks, 1);
    free(label);
}

static void check_block_lists(const fy_basis *basis)
{
    int64_t unknowns = 0;
    for (int64_t g = 0; g < basis->blocks; g++) {
        const fy_block *block = &basis->block[g];
        assert_true(block->coords >= 1 && block->coords <= basis->max_coords);
        assert_true(block->dim <= basis->max_dim);
        assert_int_equal(block->basis == NULL, !basis->centred);
        for (int32_t i = 0; i < block->coords; i++) {
            assert_true(i == 0 || block->coord[i] > block->coord[i - 1]);
            assert_int_equal(basis->block_of_coord[block->coord[i]], g);
            assert_int_equal(basis->local_of_coord[block->coord[i]], i);
        }
        unknowns += block->dim;
    }
    assert_int_equal(unknowns, basis->unknowns);
    for (int64_t generator_set = 0; generator_set < basis->model->generator_sets; generator_set++)
        for (int64_t i = 0; i < basis->model->dim; i++)
            if (generator_set_has(basis->model, generator_set, i))
                assert_int_equal(basis->block_of_coord[i],
                                 basis->block_of_generator_set[generator_set]);
}

static void blocks_are_connected_components(void **state)
{
    (void)state;
    for_all_forms(check_blocks);
    for_all_forms(check_block_lists);
}

/* ---------------------------------------------------------------- centring */

/* N'N = I and N'theta_0 = 0. */
static void check_basis(const fy_basis *basis)
{
    for (int64_t g = 0; g < basis->blocks && basis->centred; g++) {
        const fy_block *b = &basis->block[g];
        for (int32_t j = 0; j < b->dim; j++) {
            double along = 0;
            for (int32_t i = 0; i < b->coords; i++)
                along += b->basis[i * b->dim + j] * b->theta0[i];
            assert_float_equal(along, 0, 1e-12);
            for (int32_t k = 0; k < b->dim; k++) {
                double dot = 0;
                for (int32_t i = 0; i < b->coords; i++)
                    dot += b->basis[i * b->dim + j] * b->basis[i * b->dim + k];
                assert_float_equal(dot, j == k, 1e-12);
            }
        }
    }
}

/* P = p_0 + <phi', z> for the true theta; sum p_0 = 1, sum phi' = 0. */
static void check_kernel(const fy_basis *basis)
{
    const foray_model *model = basis->model;
    double z[256], phi[64 * 64];
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++) {
        const fy_block *b = &basis->block[basis->block_of_generator_set[generator_set]];
        int64_t first = model->gen_start[generator_set],
                n = fy_generator_set_size(model, generator_set);
        fy_basis_coordinates(basis, basis->block_of_generator_set[generator_set], model->theta, z);
        fy_basis_generators(basis, generator_set, phi);
        double p0_sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double p = basis->p0[first + j];
            for (int32_t i = 0; i < b->dim; i++)
                p += phi[j * b->dim + i] * z[i];
            assert_float_equal(p, fy_generator_probability(model, model->theta, first + j), 1e-12);
            p0_sum += basis->p0[first + j];
        }
        assert_float_equal(p0_sum, basis->centred ? 1 : 0, 1e-12);
        for (int32_t i = 0; i < b->dim && basis->centred; i++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += phi[j * b->dim + i];
            assert_float_equal(sum, 0, 1e-12);
        }
    }
}

static void check_theta_returns(const fy_basis *basis)
{
    double z[256], theta[256];
    assert_true(basis->model->dim <= 256);
    for (int64_t g = 0; g < basis->blocks; g++) {
        fy_basis_coordinates(basis, g, basis->model->theta, z);
        fy_basis_theta(basis, g, z, theta);
        for (int32_t i = 0; i < basis->block[g].coords; i++) {
            int32_t coord = basis->block[g].coord[i];
            assert_float_equal(theta[coord], basis->model->theta[coord], 1e-12);
        }
    }
}

static void check_psi(const fy_basis *basis)
{
    support_random random = {.seed = 3};
    double f[64], x[256], scratch[256], phi[64 * 64];
    for (int64_t generator_set = 0; generator_set < basis->model->generator_sets; generator_set++) {
        int64_t n = fy_generator_set_size(basis->model, generator_set);
        int32_t dim = basis->block[basis->block_of_generator_set[generator_set]].dim;
        double offset = 0;
        for (int64_t j = 0; j < n; j++) {
            f[j] = support_uniform(&random);
            offset += f[j] * basis->p0[basis->model->gen_start[generator_set] + j];
        }
        assert_float_equal(fy_basis_offset(basis, generator_set, f), offset, 1e-15);
        fy_basis_psi(basis, generator_set, f, x, scratch);
        fy_basis_generators(basis, generator_set, phi);
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += f[j] * phi[j * dim + i];
            assert_float_equal(x[i], sum, 1e-13);
        }
    }
}

static void centring_keeps_probabilities(void **state)
{
    (void)state;
    for_all_forms(check_basis);
    for_all_forms(check_kernel);
    for_all_forms(check_theta_returns);
    for_all_forms(check_psi);
}

/* The number of unknowns is d minus the number of independent equations. */
static void ranks_are_as_known(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *mixture = support_model(ctx, SUPPORT_MIXTURE, sizes, 5);
    assert_int_equal(mixture->basis->blocks, 1);
    assert_int_equal(mixture->basis->unknowns, sizes.dim - 1);
    for (int32_t i = 0; i < sizes.dim; i++) /* sqrt(d) times the uniform weights */
        assert_float_equal(mixture->basis->block[0].theta0[i], 1 / sqrt((double)sizes.dim), 1e-14);
    foray_model *table = support_model(ctx, SUPPORT_TABULAR, sizes, 5);
    assert_int_equal(table->basis->blocks, table->pairs);
    assert_int_equal(table->basis->unknowns, table->dim - table->pairs);
    foray_model_destroy(table);
    foray_model_destroy(mixture);
    foray_context_destroy(ctx);
}

/* Equations of many ranks: more of them than coordinates, in several batches. */
static void many_equations_in_one_block(void **state)
{
    (void)state;
    enum { DIM = 5, PAIRS = 60, RANK = 3 };
    foray_context *ctx = foray_context_create();
    support_random random = {.seed = 11};
    double theta[DIM] = {0.5, 0.4, 0.3, 0.2, 0.1}, basis[RANK][DIM];
    for (int r = 0; r < RANK; r++)
        for (int i = 0; i < DIM; i++)
            basis[r][i] = 0.1 + support_uniform(&random);
    foray_builder *builder;
    support_ok(ctx, foray_builder_create(ctx, PAIRS, 1, 2, DIM, 2, &builder));
    int64_t index[DIM] = {0, 1, 2, 3, 4};
    for (int64_t s = 0; s < PAIRS; s++) {
        double w[DIM] = {0}, sum = 0;
        for (int r = 0; r < RANK; r++) {
            double weight = support_uniform(&random);
            for (int i = 0; i < DIM; i++)
                w[i] += weight * basis[r][i];
        }
        for (int i = 0; i < DIM; i++)
            sum += w[i] * theta[i];
        for (int i = 0; i < DIM; i++)
            w[i] /= sum;
        foray_builder_feature(builder, s, 0, 0, DIM, index, w);
    }
    foray_builder_theta(builder, theta);
    foray_model *model;
    support_ok(ctx, foray_builder_finish(builder, &model));
    assert_non_null(model->basis);
    assert_int_equal(model->basis->unknowns, DIM - RANK);
    check_basis(model->basis);
    check_kernel(model->basis);
    check_theta_returns(model->basis);
    foray_model_destroy(model);
    foray_builder_destroy(builder);
    foray_context_destroy(ctx);
}

/* Blocks with the same equations share one basis. */
static void equal_blocks_have_equal_bases(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, sizes, 2);
    const fy_basis *basis = model->basis;
    int64_t equal = 0;
    for (int64_t a = 0; a < basis->blocks; a++)
        for (int64_t b = 0; b < a; b++)
            if (basis->block[a].coords == basis->block[b].coords) {
                assert_ptr_equal(basis->block[a].basis, basis->block[b].basis);
                assert_ptr_equal(basis->block[a].theta0, basis->block[b].theta0);
                equal++;
            }
    assert_true(equal > 10);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ bounds */

/* z of a theta made of random laws, the corners of the simplex among them. */
static void check_bound(const fy_basis *basis, const double *theta)
{
    double z[256];
    for (int64_t g = 0; g < basis->blocks; g++) {
        double square = 0;
        fy_basis_coordinates(basis, g, theta, z);
        for (int32_t i = 0; i < basis->block[g].dim; i++)
            square += z[i] * z[i];
        assert_true(sqrt(square) <= basis->block[g].norm_bound * (1 + 1e-12));
    }
}

static void draw_law(support_random *random, int64_t count, double *law)
{
    support_law(random, count, true, law);
    if (support_uniform(random) < 0.3) {
        int64_t corner = support_below(random, count);
        for (int64_t i = 0; i < count; i++)
            law[i] = i == corner;
    }
}

static void bounds_hold_for_all_laws(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    support_random random = {.seed = 17};
    foray_model *mixture = support_model(ctx, SUPPORT_MIXTURE, sizes, 1);
    foray_model *table = support_model(ctx, SUPPORT_TABULAR, sizes, 1);
    fy_basis *plain;
    support_ok(ctx, fy_basis_create(ctx, table, false, true, &plain));
    double law[64], theta[256];
    for (int round = 0; round < 3000; round++) {
        draw_law(&random, sizes.dim, law);
        for (int64_t i = 0; i < sizes.dim; i++)
            theta[i] = sqrt((double)sizes.dim) * law[i];
        check_bound(mixture->basis, theta);
        for (int64_t g = 0; g < table->basis->blocks; g++) {
            const fy_block *block = &table->basis->block[g];
            draw_law(&random, block->coords, law);
            for (int32_t i = 0; i < block->coords; i++)
                theta[block->coord[i]] = sqrt((double)block->coords) * law[i];
        }
        check_bound(table->basis, theta);
        check_bound(plain, theta);
    }
    fy_basis_destroy(plain);
    foray_model_destroy(table);
    foray_model_destroy(mixture);
    foray_context_destroy(ctx);
}

/* The simplex of q outcomes: corners lie sqrt(q-1) from its centre (with theta = sqrt(q) p). */
static void bounds_are_tight_for_tables(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *table = support_model(ctx, SUPPORT_TABULAR, sizes, 4);
    for (int64_t g = 0; g < table->basis->blocks; g++) {
        const fy_block *block = &table->basis->block[g];
        double expected = block->dim == 0 ? 1 : sqrt((double)block->coords - 1);
        assert_float_equal(block->norm_bound, expected, 1e-12);
    }
    foray_model_destroy(table);
    foray_context_destroy(ctx);
}

static void bound_from_the_ball(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = support_model(ctx, SUPPORT_FEATURES, sizes, 4);
    double square = model->norm_bound * model->norm_bound;
    for (int32_t i = 0; i < model->basis->block[0].coords; i++)
        square -= pow(model->basis->block[0].theta0[i], 2);
    assert_float_equal(model->basis->block[0].norm_bound, sqrt(square), 1e-12);
    check_bound(model->basis, model->theta);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------- failures */

/* Two pairs whose sums contradict each other: <e_0, theta> = 1 and <e_0/2, theta> = 1. */
static void contradictions_name_the_pair(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *builder;
    support_ok(ctx, foray_builder_create(ctx, 2, 2, 3, 1, 2, &builder));
    int64_t index = 0;
    for (int64_t pair = 0; pair < 4; pair++) {
        double value = pair == 2 ? 0.5 : 1;
        foray_builder_feature(builder, pair / 2, pair % 2, 0, 1, &index, &value);
    }
    foray_model *model;
    support_ok(ctx, foray_builder_finish(builder, &model));
    assert_null(model->basis);
    fy_basis *basis;
    assert_int_equal(fy_basis_create(ctx, model, true, true, &basis), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "state "));
    foray_model_destroy(model);
    foray_builder_destroy(builder);
    foray_context_destroy(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, sizes, 9);
        for (int choice = 0; choice < 4; choice++) {
            fy_basis *basis = NULL;
            int64_t allowed = 0;
            foray_status status = FORAY_ERROR_MEMORY;
            for (; status == FORAY_ERROR_MEMORY; allowed++) {
                ctx->allocations_left = allowed;
                status = fy_basis_create(ctx, model, choice & 1, choice & 2, &basis);
                assert_true(status == FORAY_OK || basis == NULL);
            }
            ctx->allocations_left = -1;
            assert_int_equal(status, FORAY_OK);
            assert_true(allowed > 8);
            fy_basis_destroy(basis);
        }
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_connected_components),
        cmocka_unit_test(centring_keeps_probabilities),
        cmocka_unit_test(ranks_are_as_known),
        cmocka_unit_test(many_equations_in_one_block),
        cmocka_unit_test(equal_blocks_have_equal_bases),
        cmocka_unit_test(bounds_hold_for_all_laws),
        cmocka_unit_test(bounds_are_tight_for_tables),
        cmocka_unit_test(bound_from_the_ball),
        cmocka_unit_test(contradictions_name_the_pair),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
