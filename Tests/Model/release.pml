inline doRelease() {
    atomic {
        TOUCH(x);
        assert(n[x].life == ALIVE && n[x].rc > 0);
        n[x].rc = n[x].rc - 1;
        if
        :: n[x].rc == 0 ->
            n[x].life = DEINIT;
            if
            :: n[x].kind == PROMISE || n[x].kind == RESOLVER || n[x].head != 0 ->
                deinits = deinits + 1;
                assert(deinits <= maximumDepth + 1);
                PUSH(endDeinit, 0, 0)
            :: else
            fi;
            PUSH(free, x, 0);
            if
            :: n[x].kind == PROMISE && !isSettled(n[x].flags) ->
                /* Had it lost all interest, its producer would have been told. */
                assert(!(n[x].listens && n[x].left && n[x].head == 0 && !n[x].lasts));
                PUSH(abandon, x, 0)
#ifndef FAULT_RESOLVER_GOES_SILENT
            :: n[x].kind == RESOLVER && !isSettled(n[n[x].to].flags) -> PUSH(fail, n[x].to, FAILED)
#endif
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
    atomic {
        TOUCH(x);
        assert(n[x].flags == PENDING);
        n[x].result = FAILED;
        list = n[x].head;
        n[x].head = 0;
        done = n[x].listens;
        n[x].listens = 0;
        n[x].flags = FAILURE
    }
    atomic {
        if
        :: done -> PUSH(dropHandlers, x, 0)
        :: else
        fi;
        if
        :: list != 0 -> PUSH(redirect, n[x].heir, list)
        :: else
        fi
    }
}

/* The end of abandon(_:to:): the nodes of the list y get the upstream x, a failed future, which delivers. */
inline doRedirect() {
    atomic {
        assert(x != 0 && n[x].life == NOWHERE);
        n[x].life = ALIVE;
        n[x].rc = 1;
        n[x].result = FAILED;
        n[x].flags = FAILURE;
        PUSH(release, x, 0);
        PUSH(distribute, x, y)
    }
    up = y;
    do
    :: up != 0 ->
        atomic { TOUCH(up); other = n[up].next }
#ifdef FAULT_ABANDON_WITHOUT_LOCK
        atomic { TOUCH(up); ok = isPending(n[up].flags) }
#else
        lockIfPending(up);
#endif
        if
        :: ok ->
#ifndef FAULT_ABANDON_WITHOUT_HEIR
            atomic { n[up].upstream = x }
#endif
#ifndef FAULT_ABANDON_WITHOUT_LOCK
            unlock(up)
#endif
        :: else ->
#ifndef FAULT_ABANDON_WITHOUT_WAIT
            waitUntilDetached(up);
#endif
#ifndef FAULT_ABANDON_WITHOUT_HEIR
            atomic { TOUCH(up); n[up].upstream = x }
#endif
        fi;
        up = other
    :: else -> break
    od
}

/* The object goes, with what it owns. */
inline doFree() {
    atomic {
        assert(n[x].life == DEINIT && n[x].rc == 0 && n[x].head == 0);
        assert(!isFuture(n[x].kind) || n[x].flags == VALUE || n[x].flags == FAILURE);
        n[x].life = FREED;
        /* Called or dropped: a user's closure does not outlive its use. */
        assert(n[x].closure == 0);
        assert(n[x].remaining == 0);
        assert(n[x].inputs == 0);
        if
        :: n[x].kind == INPUT ->
            if
            :: n[n[x].owner].kind == TRAVERSAL -> PUSH(release, n[x].owner, 0)
            :: else
            fi;
            if
            :: n[x].source != 0 -> PUSH(release, n[x].source, 0)
            :: else
            fi
        :: n[x].kind == TASK && n[x].source != 0 -> PUSH(release, n[x].source, 0)
        :: (n[x].kind == OBSERVER || n[x].kind == RESOLVER) && n[x].to != 0 ->
            PUSH(release, n[x].to, 0)
        :: n[x].kind == WORK && nextItem <= lastItem -> PUSH(releaseRange, nextItem, lastItem)
        :: else
        fi
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
