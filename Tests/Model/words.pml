/* One compare-and-exchange from pending to locked, or the load that finds it neither. */
inline lockIfPending(x) {
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; ok = 1
        :: else -> ok = 0
        fi
    }
}

inline tryLock(x) {
    atomic {
#ifdef FAULT_SPLICE_WAITS
        untilUnlocked(x);
#endif
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; ok = 1
        :: else -> ok = 0
        fi
    }
}

/* Only the holder of a lock writes the word. */
inline unlock(x) {
    atomic { TOUCH(x); assert(n[x].flags == LOCKED); n[x].flags = PENDING }
}

/* FutureNode.claim(), and Waiter.claim(as:) for those that have no list. */
inline claimAs(x, to) {
#ifdef FAULT_CLAIM_BY_STORE
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        ok = isPending(n[x].flags)
    }
    atomic {
        if
        :: ok -> n[x].flags = to
        :: else
        fi
    }
#else
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: isPending(n[x].flags) -> n[x].flags = to; ok = 1
        :: else -> ok = 0
        fi
    }
#endif
}

/* FutureNode.close(): takes the list, newest first, as `list`. */
inline close(x) {
#ifdef FAULT_CLAIM_BY_STORE
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        ok = isPending(n[x].flags);
        list = n[x].head
    }
    atomic {
        if
        :: ok -> n[x].flags = CLOSED
        :: else -> list = 0
        fi
    }
#else
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: isPending(n[x].flags) -> n[x].flags = CLOSED; list = n[x].head; ok = 1
        :: else -> ok = 0
        fi
    }
#endif
}

/* FutureNode.settle(_:as:): a closed word is written by nobody else. */
inline settle(x, to) {
    atomic {
        TOUCH(x);
#ifndef FAULT_SETTLE_BEFORE_WRITE
        assert(n[x].flags == CLOSED && n[x].result != NONE);
#endif
        n[x].head = 0;
        n[x].flags = to
    }
}

inline waitUntilLeft(x) {
#ifndef FAULT_NO_WAIT_UNTIL_LEFT
    atomic { untilLeft(x); TOUCH(x) }
#else
    skip
#endif
}

/* Takes the list, newest first, as `list`. */
inline publish(x, to) {
#ifdef FAULT_PUBLISH_BY_STORE
    atomic { TOUCH(x); list = n[x].head }
    atomic { TOUCH(x); n[x].head = 0; n[x].flags = to }
#else
    atomic {
        TOUCH(x);
        assert(n[x].flags == CLAIMED && n[x].result != NONE);
        list = n[x].head;
        n[x].head = 0;
        n[x].flags = to
    }
#endif
}

/* wait(for:) */
inline waitFor(w, u) {
    n[w].upstream = u;
    n[w].upstreamIsRoot = isRoot(n[u].kind)
}

inline addReference(x) {
    assert(n[x].life == ALIVE && n[x].rc > 0);
    n[x].rc = n[x].rc + 1
}

/* retainUpstream(): `up`, or 0. Situations 2 and 3 of Waiter.swift. */
inline retainUpstream(w) {
    atomic { TOUCH(w); up = n[w].upstream }
    atomic {
        if
        :: up != 0 ->
            TOUCH(up);
            if
#ifndef FAULT_RETAIN_WITHOUT_TRY
            :: n[w].upstreamIsRoot && n[up].life == DEINIT -> up = 0
#endif
            :: else -> addReference(up)
            fi
        :: else
        fi
    }
}
