#ifndef CPLEDGE_FUTURES_H
#define CPLEDGE_FUTURES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/// A delivery to several nodes that is under way on a thread; it is on that thread's stack.
struct cfutures_delivery {
    /// The settled future.
    void *_Nonnull future;
    /// The first node that has not been delivered to, or NULL.
    void *_Nullable first;
    /// The last such node, or NULL.
    void *_Nullable last;
    /// The delivery that this one is nested in, or NULL.
    struct cfutures_delivery *_Nullable outer;
};

/// One thread's state of the deliveries that are under way on it.
///
/// Swift has no thread-local storage of its own, which is the reason for the C in this package.
struct cfutures_thread_state {
    /// How many deliveries are nested on this thread's stack.
    size_t depth;
    /// The first node put off until the outermost delivery returns, or NULL.
    void *_Nullable head;
    /// The last node put off, or NULL.
    void *_Nullable tail;
    /// The innermost delivery to several nodes, or NULL.
    struct cfutures_delivery *_Nullable delivery;
    /// The object that keeps this thread's tasks on it, which the code that set it retains; or NULL.
    void *_Nullable home;
};

extern _Thread_local struct cfutures_thread_state cfutures_thread;

/// The calling thread's state. The pointer is valid on this thread only.
static inline struct cfutures_thread_state *_Nonnull cfutures_current_thread(void) {
    return &cfutures_thread;
}

/// One turn of a short wait for another thread: 16 times it pauses the core, 16 times it yields it, and from then on it
/// sleeps, 20 microseconds at first and a millisecond at most.
///
/// What is waited for takes less than a microsecond, unless the other thread is preempted. A yield does not let a
/// thread of a lower priority run, which the other may be; a sleep does.
void cfutures_relax(uint32_t *_Nonnull turns);

/// Returns the same pointer, through a call that the compiler cannot see into.
///
/// Swift may move a retain past a store to an atomic word, since nothing on this thread needs the retain
/// earlier. If the store makes the object visible to another thread, that thread may release, and free, the
/// object before the retain. A retain is not moved past an unknown call.
void *_Nonnull cfutures_opaque(void *_Nonnull object);

/// Does nothing, through a call that the compiler cannot see into.
///
/// It is called between the copy of a reference that is read under a lock and the store to the atomic word
/// that unlocks. Swift sees no connection between the two. It may delay the retain until the reference is
/// used; by then another thread may have taken the field's own reference and released the object. An unknown
/// call might do that, too, so the retain comes before the call.
void cfutures_retain_before_this(void);

/// Retains a Swift object, unless its last reference has been released and it is in its deinit.
///
/// The memory of the object must be valid during the call. Swift has weak references for this, but forming
/// one may first retain and release the object, and that release may be the last one. It also allocates
/// memory, which the runtime leaks if the deinit begins meanwhile.
///
/// @return The object, owned by the caller; NULL if it is in its deinit.
void *_Nullable cfutures_try_retain(void *_Nonnull object);

#endif
