/* push(_:) of the node x to the locked y, and its unlocking. */
inline push(x, y) {
    TOUCH(x);
    TOUCH(y);
    assert(n[y].flags == LOCKED);
    if
    :: n[y].head != 0 -> TOUCH(n[y].head); n[n[y].head].previous = x
    :: else
    fi;
    n[x].next = n[y].head;
    n[x].previous = 0;
    n[x].isEnrolled = 1;
    n[y].head = x;
    unlockTo(y, PENDING)
}

/* FutureNode.enroll(_:) of a new node x on y. */
inline doObserve() {
    atomic { TOUCH(y); n[x].upstream = y; addReference(x) }
#ifdef FAULT_ENROLL_BY_STORE
    atomic { untilUnlocked(y); TOUCH(y); ok = (n[y].flags == PENDING); list = n[y].head }
    if
    :: ok -> atomic { n[x].next = list; n[x].isEnrolled = 1; n[y].head = x }
    :: else -> PUSH(hand, x, y)
    fi
#else
    lockIfPending(y);
    if
    :: ok -> atomic { push(x, y) }
    :: else -> PUSH(hand, x, y)
    fi
#endif
}

/* TaskWaiter.wait(), after it was enrolled. The task's cancellation is heard of from here on. */
inline doAwait() {
    atomic { n[x].started = 1 }
    lockIfPending(x);
    if
    :: ok -> atomic { n[x].isSuspended = 1; unlockTo(x, PENDING) }
    :: else -> atomic { TOUCH(x); n[x].calls = n[x].calls + 1 }
    fi
}

/* FutureNode.enrollShared(_:) */
inline doEnrollShared() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { n[x].upstream = y; n[x].isEnrolled = 0; unlockTo(x, PENDING) }
        PUSH(enrollExpected, x, y)
    :: else ->
        waitUntilDetached(x);
        PUSH(giveUpInterest, y, 0)
    fi
}

/* FutureNode.enrollExpected(_:) of the node x on y, which the caller holds. */
inline doEnrollExpected() {
    lockIfPending(y);
    if
    :: !ok -> PUSH(receive, x, y)
    :: else ->
#ifndef FAULT_ENROLL_WITHOUT_CHECK
        atomic { TOUCH(x); ok = isPending(n[x].flags) }
#endif
        if
        :: ok ->
            atomic {
#ifndef FAULT_RETAIN_AFTER_ENROLL
                addReference(x);
#endif
                push(x, y)
            }
#ifdef FAULT_RETAIN_AFTER_ENROLL
            atomic { TOUCH(x); addReference(x) }
#endif
        :: else ->
            unlock(y);
            waitUntilDetached(x);
#ifndef FAULT_ENROLL_FORGETS_INTEREST
            PUSH(giveUpInterest, y, 0)
#endif
        fi
    fi
}
