#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPledgeTesting.h"

#include <dlfcn.h>

// The functions and variables below have the names and types of the Swift runtime's own.
#define SWIFT_CC __attribute__((swiftcall))

/// A reference to a serial executor: the object, and where its functions are.
struct executor {
    void *object;
    uintptr_t witnesses;
};

typedef SWIFT_CC void (*enqueue_function)(void *job);
typedef SWIFT_CC void (*enqueue_hook)(void *job, enqueue_function original);
typedef SWIFT_CC struct executor (*main_executor_function)(void);
typedef SWIFT_CC struct executor (*main_executor_hook)(main_executor_function original);
typedef SWIFT_CC bool (*is_main_function)(struct executor executor);
typedef SWIFT_CC bool (*is_main_hook)(struct executor executor, is_main_function original);

static ctesting_take take;
static SWIFT_CC uint64_t (*task_id)(void *job);
static SWIFT_CC uint32_t (*job_flags)(void *job);
static SWIFT_CC void *(*current_task)(void);
static enqueue_function enqueue_main;
static struct executor main_executor;

static _Thread_local void *present_scope;
static _Thread_local uint64_t main_steps;

uint64_t ctesting_main_steps(void) { return main_steps; }

void *ctesting_scope(void) { return present_scope; }
void ctesting_set_scope(void *scope) { present_scope = scope; }

static SWIFT_CC void on_global(void *job, enqueue_function original) {
    if (!take(job, false)) original(job);
}

static SWIFT_CC void on_main(void *job, enqueue_function original) {
    main_steps += 1;
    if (!take(job, true)) original(job);
}

static SWIFT_CC struct executor get_main(main_executor_function original) {
    (void)original;
    return main_executor;
}

static SWIFT_CC bool is_main(struct executor executor, is_main_function original) {
    return executor.object == main_executor.object || original(executor);
}

bool ctesting_install(ctesting_take function) {
    enqueue_hook *global = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    enqueue_hook *main = dlsym(RTLD_DEFAULT, "swift_task_enqueueMainExecutor_hook");
    task_id = dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
    job_flags = dlsym(RTLD_DEFAULT, "swift_task_getJobFlags");
    current_task = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    enqueue_main = dlsym(RTLD_DEFAULT, "swift_task_enqueueMainExecutor");
    if (!global || !main || !task_id || !job_flags || !current_task || !enqueue_main) return false;
    take = function;
    *global = on_global;
    *main = on_main;
    return true;
}

bool ctesting_install_main_executor(void *object, uintptr_t witnesses) {
    main_executor_hook *get = dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor_hook");
    is_main_hook *is = dlsym(RTLD_DEFAULT, "swift_task_isMainExecutor_hook");
    if (!get || !is) return false;
    main_executor = (struct executor){object, witnesses};
    *is = is_main;
    *get = get_main;
    return true;
}

void ctesting_enqueue_main(void *job) { enqueue_main(job); }

uint64_t ctesting_task_id(void *job) {
    // The lowest byte of the flags is the kind of a job, and 0 is a task.
    return (job_flags(job) & 0xFF) == 0 ? task_id(job) : 0;
}

uint64_t ctesting_current_task_id(void) {
    void *task = current_task ? current_task() : 0;
    return task ? task_id(task) : 0;
}

const char *ctesting_queue_name(void) {
    const char *(*name)(void *queue) = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
    const char *found = name ? name(0) : 0;
    return found ? found : "";
}
