/* FutureNode.enroll(_:) of a new waiter x on y. */
inline doObserve() {
    atomic { waitFor(x, y); n[x].isLinked = 1; addReference(x) }
#ifdef FAULT_ENROLL_CHECKS_ONCE
    atomic { untilUnlocked(y); TOUCH(y); ok = !isSettled(n[y].flags) }
#endif
    atomic {
#ifdef FAULT_ENROLL_WHILE_CLOSED
        untilUnlocked(y);
#else
        untilOpen(y);
#endif
        TOUCH(y);
        if
#ifdef FAULT_ENROLL_CHECKS_ONCE
        :: ok -> n[x].next = n[y].head; n[y].head = x
#else
        :: !isSettled(n[y].flags) -> n[x].next = n[y].head; n[y].head = x
#endif
        :: else -> list = x; n[x].next = 0
        fi
    }
    pushDistribute(y)
}

/* TaskWaiter.wait(for:resuming:): `source` stands for the continuation. */
inline doAwait() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { n[x].source = 1 }
        unlock(x);
        PUSH(enrollShared, x, y)
    :: else ->
        waitUntilLeft(x);
        PUSH(call, x, 0);
        PUSH(giveUpInterest, y, 0)
    fi
}

/* FutureNode.enrollShared(_:) */
inline doEnrollShared() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { waitFor(x, y); n[x].isLinked = 0 }
        unlock(x);
        PUSH(link, x, y)
    :: else ->
        waitUntilLeft(x);
        PUSH(giveUpInterest, y, 0)
    fi
}

/* FutureNode.link(_:) of the waiter x on y, which the caller holds. */
inline doLink() {
#ifdef FAULT_LINK_BY_PUSH
    atomic {
        TOUCH(y);
        if
        :: n[y].flags == PENDING || n[y].flags == CLAIMED ->
            n[x].next = n[y].head; n[x].previous = 0; n[x].isLinked = 1;
            addReference(x); n[y].head = x; ok = 1
        :: else -> ok = 0
        fi
    }
    if
    :: !ok -> atomic { untilSettled(y); TOUCH(y); PUSH(receive, x, y) }
    :: else
    fi
#else
    lockIfPending(y);
    if
    :: !ok ->
#ifndef FAULT_LINK_DELIVERS_EARLY
        atomic { untilSettled(y); TOUCH(y) }
#endif
        PUSH(receive, x, y)
    :: else ->
#ifndef FAULT_LINK_WITHOUT_CHECK
        atomic { TOUCH(x); ok = isPending(n[x].flags) }
#endif
        if
        :: ok ->
            atomic {
                TOUCH(y);
                assert(n[y].flags == LOCKED);
                n[x].next = n[y].head;
                n[x].previous = 0;
                n[x].isLinked = 1;
#ifndef FAULT_RETAIN_AFTER_LINK
                addReference(x);
#endif
                n[y].head = x;
                n[y].flags = PENDING
            }
#ifdef FAULT_RETAIN_AFTER_LINK
            atomic { TOUCH(x); addReference(x) }
#endif
        :: else ->
            unlock(y);
            waitUntilLeft(x);
#ifndef FAULT_LINK_FORGETS_INTEREST
            PUSH(giveUpInterest, y, 0)
#endif
        fi
    fi
#endif
}
