inline doRelease() {
    atomic {
        TOUCH(x);
        assert(n[x].life == ALIVE && n[x].rc > 0);
        n[x].rc = n[x].rc - 1;
        if
        :: n[x].rc == 0 ->
            n[x].life = DEINIT;
            PUSH(free, x, 0);
            if
            :: n[x].kind == PROMISE && !isSettled(n[x].flags) ->
                /* Had it lost all interest, its producer would have been told. */
                assert(!(n[x].listens && n[x].left && n[x].head == 0));
                PUSH(abandon, x, 0)
            :: else
            fi
        :: else
        fi
    }
}

/* Promise.deinit, FutureNode.abandon(_:to:) */
inline doAbandon() {
    /* No other thread owns it, so none has it locked, and none can have settled it meanwhile: the
       `else` of the guard in the Swift code is not reached. */
    atomic { TOUCH(x); assert(n[x].flags == PENDING); n[x].flags = CLAIMED }
    atomic {
        n[x].result = FAILED;
        y = n[x].heir;
        assert(n[y].life == NOWHERE);
        n[y].life = ALIVE;
        n[y].rc = 1;
        n[y].result = FAILED;
        n[y].flags = FAILURE
    }
    publish(x, FAILURE);
    PUSH(release, y, 0);
    up = list;
    do
    :: up != 0 ->
#ifdef FAULT_ABANDON_WITHOUT_LOCK
        atomic { TOUCH(up); ok = isPending(n[up].flags) }
#else
        lockIfPending(up);
#endif
        if
        :: ok ->
#ifndef FAULT_ABANDON_WITHOUT_HEIR
            atomic { waitFor(up, y) }
#endif
#ifndef FAULT_ABANDON_WITHOUT_LOCK
            unlock(up)
#endif
        :: else ->
#ifndef FAULT_ABANDON_WITHOUT_WAIT
            waitUntilLeft(up);
#endif
#ifndef FAULT_ABANDON_WITHOUT_HEIR
            atomic { TOUCH(up); waitFor(up, y) }
#endif
        fi;
        atomic { TOUCH(up); up = n[up].next }
    :: else -> break
    od;
    pushDistribute(y)
}

/* The object goes, with what it owns. */
inline doFree() {
    atomic {
        assert(n[x].life == DEINIT && n[x].rc == 0 && n[x].head == 0);
        assert(!isFuture(n[x].kind) || n[x].flags == VALUE || n[x].flags == FAILURE);
        n[x].life = FREED;
        /* Called or withdrawn: a user's closure does not outlive its use. */
        assert(n[x].closure == 0);
        if
        :: n[x].kind == INPUT ->
            if
            :: n[x].source != 0 -> PUSH(release, n[x].source, 0)
            :: else
            fi
        :: else
        fi;
        assert(!n[x].holdsInputs && n[x].remaining == 0)
    }
}

/* A thread lets go of all it holds, x to y. */
inline doReleaseRange() {
    atomic {
        i = y;
        do
        :: i >= x -> PUSH(release, i, 0); i--
        :: else -> break
        od
    }
}
