#ifndef CPLEDGE_TESTING_H
#define CPLEDGE_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Takes a step of a task that the Swift runtime is about to give to one of its executors.
///
/// @param job The step.
/// @param is_main True for a step on the main actor.
/// @return False if the runtime is to go on with the step.
typedef bool (*ctesting_take)(void *_Nonnull job, bool is_main);

/// Has a function asked about each step, in the whole process and from now on.
///
/// The runtime has a variable for such a function, a hook, for each of its executors. Its symbols are looked up, as not
/// every system's runtime has them.
///
/// @return False if a symbol is missing; then nothing has changed.
bool ctesting_install(ctesting_take _Nonnull take);

/// Makes an object the executor of the main actor, beside the runtime's own, whose steps pass by the hooks of a newer
/// runtime.
///
/// @param object The object, which must live for ever.
/// @param witnesses The second word of a reference to a serial executor.
/// @return False if a symbol is missing; then nothing has changed.
bool ctesting_install_main_executor(void *_Nonnull object, uintptr_t witnesses);

/// The number of steps on the main actor that the calling thread has asked about.
uint64_t ctesting_main_steps(void);

/// Gives a step to the runtime's own executor of the main actor.
void ctesting_enqueue_main(void *_Nonnull job);

/// The ID of a step's task, which no other task of the process has; 0 if the step is not one of a task.
uint64_t ctesting_task_id(void *_Nonnull job);

/// The ID of the calling task; 0 outside a task.
uint64_t ctesting_current_task_id(void);

/// Finds out, by the first step of a task that the calling task begins next, whether this runtime tells of a task that
/// it runs or waits for an executor. If it doesn't, no task can be watched.
///
/// @param begins True before the new task, and false after it.
void ctesting_probe(bool begins);

/// Retains a task, so that it can be watched.
///
/// @return False if it can't be watched.
bool ctesting_watch(void *_Nonnull task);

/// Releases the watched tasks that have ended, and moves the others to the front.
///
/// @param are_away Set to true if one of the others runs at present, or waits for an executor.
/// @return The number of the others.
size_t ctesting_forget_ended(
    void *_Nonnull *_Nullable tasks, size_t count, bool *_Nonnull are_away);

/// Cancels a watched task.
void ctesting_cancel(void *_Nonnull task);

/// Releases a watched task.
void ctesting_forget(void *_Nonnull task);

/// True if a task runs at present, or waits for an executor.
bool ctesting_is_away(void *_Nonnull task);

/// The name of the Dispatch queue on which the calling thread runs; empty if it is not known.
const char *_Nonnull ctesting_queue_name(void);

/// The object in whose virtual time the calling thread runs steps, or NULL.
void *_Nullable ctesting_scope(void);

/// Sets what `ctesting_scope` returns on this thread.
void ctesting_set_scope(void *_Nullable scope);

#endif
