#ifndef CPLEDGE_FUTURES_H
#define CPLEDGE_FUTURES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/// A delivery to several nodes that is under way, stored on the stack of the thread that delivers.
struct cfutures_delivery {
    /// The settled future.
    void *_Nonnull future;
    /// The first node that has not received the result yet, or NULL.
    void *_Nullable first;
    /// The last node that has not received the result yet, or NULL.
    void *_Nullable last;
    /// The delivery that this one is nested in, or NULL.
    struct cfutures_delivery *_Nullable outer;
};

/// The state of the deliveries that are under way on one thread.
///
/// Swift has no thread-local storage of its own, which is why this is written in C.
struct cfutures_thread_state {
    /// The number of deliveries that are nested on this thread's stack.
    size_t depth;
    /// The first node whose delivery is put off until the end of an outer delivery, or NULL.
    void *_Nullable head;
    /// The last node whose delivery is put off, or NULL.
    void *_Nullable tail;
    /// The innermost delivery to several nodes, or NULL.
    struct cfutures_delivery *_Nullable delivery;
    /// The node that gets a result now, while it may leave its own waiters to the delivery that it gets it from; or NULL.
    void *_Nullable receiver;
    /// The word of the waiters that the receiver has left; 0 for none.
    uintptr_t left;
    /// The stack address at which the delivery began that reached the limit of `depth`.
    uintptr_t edge;
    /// The bytes of stack that are known to lie between such a delivery and the next one without an event loop in
    /// between; 0 if nothing is known.
    size_t step;
    /// The number of frames on this thread's stack that make calls for others than the current task.
    size_t hosting;
    /// The object that keeps this thread's tasks on this thread, or NULL. The code that set it retains it.
    void *_Nullable home;
};

extern _Thread_local struct cfutures_thread_state cfutures_thread;

/// The calling thread's state. The pointer is valid on this thread only.
static inline struct cfutures_thread_state *_Nonnull cfutures_current_thread(void) {
    return &cfutures_thread;
}

/// The address of the calling code's frame on the stack.
static inline uintptr_t cfutures_stack_address(void) {
    return (uintptr_t)__builtin_frame_address(0);
}

/// True if half of the calling thread's stack is free; false if the system does not tell.
bool cfutures_stack_has_room(void);

/// Returns the bytes of stack that the present code takes more than the delivery that reached the limit, if they show
/// that this delivery's closure runs an event loop, which called the present code; otherwise 0.
///
/// An event loop and the code that it calls take more of the stack than a closure that settles the next future itself.
/// How much the latter takes is learned. Closures that take much more than others are mistaken for an event loop, which
/// only costs stack. So the result is 0 if only a quarter of the stack is free, or if the system does not tell the
/// stack's bounds.
size_t cfutures_stack_of_event_loop(void);

/// Takes one turn of a short wait for another thread.
///
/// The first 16 turns pause the core, and the next 16 yield it. From then on each turn sleeps, 20 microseconds at first
/// and a millisecond at most.
///
/// The wait takes less than a microsecond, unless the other thread is preempted. If the preempted thread has a lower
/// priority than this one, a yield does not let it run, but a sleep does.
void cfutures_relax(uint32_t *_Nonnull turns);

/// Returns the same pointer, through a call that the compiler cannot see into.
///
/// Swift may move a retain past a store to an atomic word, because this thread does not need the retain earlier. If the
/// store makes the object visible to another thread, that thread may release and free the object before this thread has
/// retained it. Swift does not move a retain past an unknown call.
void *_Nonnull cfutures_opaque(void *_Nonnull object);

/// Does nothing, through a call that the compiler cannot see into.
///
/// Call it after you copy a reference out of a field under a lock, and before the store to the atomic word that
/// unlocks. Swift sees no connection between the copy and the store, so it may delay the retain until the reference is
/// used. By then another thread may have taken the field's own reference and released the object. The compiler can't see
/// that this call does nothing. It has to assume that the call releases the object, so it retains the object first.
void cfutures_retain_before_this(void);

/// Retains a Swift object, unless its last reference was released and it is in its deinit.
///
/// The memory of the object must be valid during the call. Swift has weak references for this purpose. But forming one
/// may first retain and release the object, and that release may be the last one. Forming a weak reference also
/// allocates memory, which the runtime leaks if the deinit begins meanwhile.
///
/// @return The object, owned by the caller; NULL if it is in its deinit.
void *_Nullable cfutures_try_retain(void *_Nonnull object);

#endif
