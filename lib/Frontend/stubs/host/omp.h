// OpenMP's run-time calls, for parsing host code where Clang's own copy of this
// header is not installed. Declarations only.
#ifndef MEP_STUB_OMP_H
#define MEP_STUB_OMP_H
typedef struct { void *_lock; } omp_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4 } omp_sched_t;
#ifdef __cplusplus
extern "C" {
#endif
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_get_num_devices(void);
int omp_get_thread_limit(void);
int omp_get_level(void);
int omp_get_team_num(void);
int omp_get_num_teams(void);
void omp_set_num_threads(int threads);
void omp_set_dynamic(int dynamic);
void omp_set_nested(int nested);
void omp_set_schedule(omp_sched_t kind, int chunk);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *lock);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
#ifdef __cplusplus
}
#endif
#endif
