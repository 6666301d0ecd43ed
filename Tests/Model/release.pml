inline doRelease() {
    atomic {
        TOUCH(x);
        assert(n[x].life == ALIVE && n[x].rc > 0);
        n[x].rc = n[x].rc - 1;
        if
        :: n[x].rc == 0 ->
            n[x].life = DEINIT;
            if
            :: n[x].kind == PROMISE || n[x].kind == RESOLVER ->
                deinits = deinits + 1;
                assert(deinits <= maximumDepth + 1);
                PUSH(endDeinit, 0, 0)
            :: else
            fi;
            PUSH(free, x, 0);
            if
            :: n[x].kind == PROMISE && !isSettled(n[x].flags) ->
                /* Had it lost all interest, its producer would have been told. */
                assert(!(n[x].listens && n[x].left && n[x].head == 0));
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
        y = n[x].heir;
        assert(y != 0 && n[y].life == NOWHERE);
        n[y].life = ALIVE;
        n[y].rc = 1;
        n[y].result = FAILED;
        n[y].flags = FAILURE;
        list = n[x].head;
        n[x].head = 0;
        done = n[x].listens;
        n[x].listens = 0;
        n[x].flags = FAILURE
    }
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
            atomic { n[up].upstream = y }
#endif
#ifndef FAULT_ABANDON_WITHOUT_LOCK
            unlock(up)
#endif
        :: else ->
#ifndef FAULT_ABANDON_WITHOUT_WAIT
            waitUntilDetached(up);
#endif
#ifndef FAULT_ABANDON_WITHOUT_HEIR
            atomic { TOUCH(up); n[up].upstream = y }
#endif
        fi;
        atomic { TOUCH(up); up = n[up].next }
    :: else -> break
    od;
    atomic {
        if
        :: done -> PUSH(discard, x, 0)
        :: else
        fi;
        if
        :: list != 0 && !n[x].isSilent -> PUSH(distribute, y, list)
        :: list != 0 && n[x].isSilent -> PUSH(forget, list, 0)
        :: else
        fi
    }
}

/* FutureNode.forget(_:), one turn of its loop. */
inline doForget() {
    atomic {
        TOUCH(x);
        if
        :: n[x].next != 0 -> PUSH(forget, n[x].next, 0)
        :: else
        fi;
        PUSH(release, x, 0);
        PUSH(lose, x, 0)
    }
}

/* loseUpstream() */
inline doLose() {
    if
    :: n[x].kind == INPUT ->
        claimAs(x, FAILURE);
        if
        :: ok ->
            /* Aggregate.inputLost() */
            up = n[x].owner;
            lockIfPending(up);
            if
            :: ok -> atomic { n[up].hasLostInput = 1; unlockTo(up, PENDING) }
            :: else
            fi;
            PUSH(letGo, up, 1)
        :: else -> waitUntilDetached(x)
        fi
    :: else ->
        lockIfPending(x);
        if
        :: ok -> atomic { n[x].upstream = 0; unlockTo(x, PENDING) }
#ifdef FAULT_LOSES_WITHOUT_WAIT
        :: else
#else
        :: else -> waitUntilDetached(x)
#endif
        fi
    fi
}

/* The object goes, with what it owns. */
inline doFree() {
    atomic {
        assert(n[x].life == DEINIT && n[x].rc == 0 && n[x].head == 0);
        assert(!isFuture(n[x].kind) || n[x].flags == VALUE || n[x].flags == FAILURE
            || n[x].hasLostInput || n[x].upstream == 0);
        n[x].life = FREED;
        /* Called or withdrawn: a user's closure does not outlive its use. */
        assert(n[x].closure == 0 && n[x].remaining == 0);
        assert(n[x].inputs == 0 || n[x].hasLostInput);
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
        :: n[x].inputs != 0 -> PUSH(dropInputs, x, 0)
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
