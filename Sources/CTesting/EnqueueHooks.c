#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPledgeTesting.h"

#include <dlfcn.h>
#include <stdatomic.h>

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

// Any thread of the runtime may call a hook while it is being installed. So each of these is written last, and read
// first, of what belongs to it.
static _Atomic(ctesting_take) take;
static atomic_bool has_main_executor;
static SWIFT_CC uint64_t (*task_id)(void *job);
static SWIFT_CC uint32_t (*job_flags)(void *job);
static SWIFT_CC void *(*current_task)(void);
static enqueue_function enqueue_main;
static struct executor main_executor;

extern void *swift_retain(void *object);
extern void swift_release(void *object);
static SWIFT_CC void (*cancel)(void *task);

static _Thread_local void *present_scope;
static _Thread_local uint64_t main_steps;

uint64_t ctesting_main_steps(void) { return main_steps; }

void *ctesting_scope(void) { return present_scope; }
void ctesting_set_scope(void *scope) { present_scope = scope; }

static _Thread_local bool probes;
static void find_status(void *enqueued);

static SWIFT_CC void on_global(void *job, enqueue_function original) {
    ctesting_take installed = atomic_load_explicit(&take, memory_order_acquire);
    if (probes) find_status(job);
    if (!installed || !installed(job, false)) original(job);
}

static SWIFT_CC void on_main(void *job, enqueue_function original) {
    ctesting_take installed = atomic_load_explicit(&take, memory_order_acquire);
    main_steps += 1;
    if (!installed || !installed(job, true)) original(job);
}

static SWIFT_CC struct executor get_main(main_executor_function original) {
    if (!atomic_load_explicit(&has_main_executor, memory_order_acquire)) return original();
    return main_executor;
}

static SWIFT_CC bool is_main(struct executor executor, is_main_function original) {
    return (atomic_load_explicit(&has_main_executor, memory_order_acquire) &&
            executor.object == main_executor.object) ||
           original(executor);
}

bool ctesting_install(ctesting_take function) {
    enqueue_hook *global = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    enqueue_hook *main = dlsym(RTLD_DEFAULT, "swift_task_enqueueMainExecutor_hook");
    task_id = dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
    job_flags = dlsym(RTLD_DEFAULT, "swift_task_getJobFlags");
    current_task = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    enqueue_main = dlsym(RTLD_DEFAULT, "swift_task_enqueueMainExecutor");
    if (!global || !main || !task_id || !job_flags || !current_task || !enqueue_main) return false;
    cancel = dlsym(RTLD_DEFAULT, "swift_task_cancel");
    atomic_store_explicit(&take, function, memory_order_release);
    *global = on_global;
    *main = on_main;
    return true;
}

bool ctesting_install_main_executor(void *object, uintptr_t witnesses) {
    main_executor_hook *get = dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor_hook");
    is_main_hook *is = dlsym(RTLD_DEFAULT, "swift_task_isMainExecutor_hook");
    if (!get || !is) return false;
    main_executor = (struct executor){object, witnesses};
    atomic_store_explicit(&has_main_executor, true, memory_order_release);
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

// Where the runtime keeps the status of a task, and its bits, in the layout of version 1. Debuggers know it by this
// version. `find_status` looks whether it is so.
static const size_t status_offset = 96;
static const uint32_t is_running = 0x800, is_enqueued = 0x1000, has_ended = 0x2000;
static bool knows_status;

static uint32_t status(void *task) {
    return __atomic_load_n((uint32_t *)((char *)task + status_offset), __ATOMIC_ACQUIRE);
}

void ctesting_probe(bool begins) { probes = begins; }

static void find_status(void *enqueued) {
    uint32_t *version = dlsym(RTLD_DEFAULT, "_swift_concurrency_debug_internal_layout_version");
    void *running = current_task();
    if (!version || *version != 1 || !running || !ctesting_task_id(enqueued)) return;
    const uint32_t all = is_running | is_enqueued | has_ended;
    knows_status = (status(running) & all) == is_running && (status(enqueued) & all) == is_enqueued;
}

bool ctesting_watch(void *task) {
    // A child task that is not of a group is freed with its parent's frame, even if it is retained.
    uint32_t flags = job_flags(task);
    if (!knows_status || (flags & 0xFF) != 0) return false;
    if ((flags & 1 << 24) && !(flags & 1 << 26)) return false;
    swift_retain(task);
    return true;
}

bool ctesting_is_away(void *task) {
    return knows_status && (status(task) & (is_running | is_enqueued)) != 0;
}

size_t ctesting_forget_ended(void **tasks, size_t count, bool *are_away) {
    size_t left = 0;
    for (size_t index = 0; index < count; index++) {
        uint32_t bits = status(tasks[index]);
        if (bits & (is_running | is_enqueued)) *are_away = true;
        if (bits & has_ended) {
            swift_release(tasks[index]);
        } else {
            tasks[left++] = tasks[index];
        }
    }
    return left;
}

void ctesting_cancel(void *task) {
    if (cancel) cancel(task);
}

void ctesting_forget(void *task) { swift_release(task); }

const char *ctesting_queue_name(void) {
    const char *(*name)(void *queue) = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
    const char *found = name ? name(0) : 0;
    return found ? found : "";
}
