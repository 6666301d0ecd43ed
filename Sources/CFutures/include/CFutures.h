#ifndef CFUTURES_H
#define CFUTURES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/// A delivery to several nodes that a thread is in the middle of; on its stack.
struct cfutures_delivery {
    /// The settled future.
    void *_Nonnull future;
    /// The first node that has not had its turn, or NULL.
    void *_Nullable first;
    /// The last of them.
    void *_Nullable last;
    /// The delivery that this one is nested in, or NULL.
    struct cfutures_delivery *_Nullable outer;
};

/// What one thread knows of the deliveries it is in the middle of.
///
/// Swift has no thread-local storage of its own; this is the reason for the C in this package.
struct cfutures_thread_state {
    /// How many deliveries are nested on this thread's stack.
    size_t depth;
    /// The first node put off until the outermost delivery returns, or NULL.
    void *_Nullable head;
    /// The last node put off, or NULL.
    void *_Nullable tail;
    /// The innermost delivery to several nodes, or NULL.
    struct cfutures_delivery *_Nullable delivery;
};

extern _Thread_local struct cfutures_thread_state cfutures_thread;

/// The calling thread's own state. The pointer is valid on this thread only.
static inline struct cfutures_thread_state *_Nonnull cfutures_current_thread(void) {
    return &cfutures_thread;
}

/// One turn of a wait for another thread's few instructions: pauses the core at first, and yields
/// it from the sixteenth turn on, so that a preempted thread can go on.
void cfutures_relax(uint32_t *_Nonnull turns);

/// The same pointer, by a call that the compiler does not see into.
///
/// Swift may move a retain past a store to an atomic word, since nothing on this thread needs it before. If
/// that store tells another thread of the object, that thread may release, and free, it before. A retain is
/// not moved past an unknown call.
void *_Nonnull cfutures_opaque(void *_Nonnull object);

/// Does nothing, by a call that the compiler does not see into.
///
/// Between a copy of a reference that is read under a lock and the store to the atomic word that unlocks. Swift
/// sees no connection between the two. It may leave the retain out until the reference is used, and by then
/// another thread may have taken the field's own reference and released the object. An unknown call might do
/// that, too, so the retain comes before it.
void cfutures_retain_before_this(void);

/// Retains a Swift object, unless its last reference has gone and it is in its deinit.
///
/// The memory of the object must be valid for the time of the call. Swift has weak references for
/// this, but to form one may retain and release the object first, and that release may be the last;
/// it allocates, too, and the runtime loses what it has allocated where the deinit begins meanwhile.
///
/// @return The object, owned by the caller; NULL if it is in its deinit.
void *_Nullable cfutures_try_retain(void *_Nonnull object);

#endif
