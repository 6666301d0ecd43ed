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
                assert(!(n[x].listens && n[x].left && n[x].head == 0));
                PUSH(abandon, x, 0)
#ifndef FAULT_RESOLVER_GOES_SILENT
            :: n[x].kind == RESOLVER && !isSettled(n[n[x].to].flags) -> PUSH(fail, n[x].to, FAILED)
#endif
#ifndef FAULT_DEINIT_KEEPS_LIST
            :: !isRoot(n[x].kind) && n[x].head != 0 -> PUSH(forgetOwnList, x, 0)
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
        :: done -> PUSH(discard, x, 0)
        :: else
        fi;
        if
        :: list != 0 && n[x].isSilent -> PUSH(forget, list, 0)
        :: list != 0 && !n[x].isSilent -> PUSH(redirect, n[x].heir, list)
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

/* FutureNode.deinit of a pending future with a list. One that waits for it may have it locked (see
   takeOutUpstream). It stays locked: a thread that waits for it would find it freed. */
inline doForgetOwnList() {
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        assert(n[x].flags == PENDING && n[x].head != 0);
        assert(n[x].hasLostUpstream || n[x].hasLostInput);
        n[x].flags = LOCKED;
        PUSH(forget, n[x].head, 0);
        n[x].head = 0
    }
}

/* FutureNode.forget(_:) of the list x: each node loses its upstream at once, by loseUpstream(); then they are
   released, now or in their turn. */
inline doForget() {
    up = x;
    do
    :: up != 0 ->
        atomic { TOUCH(up); other = n[up].next }
        lockIfPending(up);
        if
        :: ok -> atomic { n[up].upstream = 0; n[up].hasLostUpstream = 1; unlockTo(up, PENDING) }
#ifdef FAULT_LOSES_WITHOUT_WAIT
        :: else
#else
        :: else -> waitUntilDetached(up)
#endif
        fi;
        up = other
    :: else -> break
    od;
    atomic {
        if
#ifdef FAULT_FORGOTTEN_NOT_PUT_OFF
        :: true -> PUSH(releaseAll, x, 0)
#else
        :: mayEnter ->
            depth = depth + 1;
            PUSH(leaveDelivery, 0, 0);
            PUSH(releaseAll, x, 0)
        :: else ->
            assert(lates < QUEUE);
            lateKind[lates] = releaseAll;
            late[lates] = x;
            lates = lates + 1
#endif
        fi
    }
}

/* releaseAll(from:), one turn of its loop. */
inline doReleaseAll() {
    atomic {
        TOUCH(x);
        if
        :: n[x].next != 0 -> PUSH(releaseAll, n[x].next, 0)
        :: else
        fi;
        PUSH(release, x, 0);
        PUSH(upstreamWasLost, x, 0)
    }
}

/* upstreamWasLost() */
inline doUpstreamWasLost() {
    if
    :: n[x].kind == INPUT || n[x].kind == OBSERVATION -> claimAs(x, FAILURE)
    :: else
    fi;
    if
    :: ok && n[x].kind == OBSERVATION -> PUSH(withdraw, x, 0)
    :: ok && n[x].kind == INPUT && n[n[x].owner].kind != TRAVERSAL ->
        /* Aggregate.inputLost() */
        up = n[x].owner;
        lockIfPending(up);
        if
        :: ok -> atomic { n[up].hasLostInput = 1; unlockTo(up, PENDING) }
        :: else
        fi;
        PUSH(letGo, up, 1)
    :: ok && n[x].kind == INPUT && n[n[x].owner].kind == TRAVERSAL ->
        /* Traversal.inputLost() */
        atomic {
            up = n[x].owner;
            TOUCH(up);
            n[up].hasLostInput = 1;
            isOver = 1;
            if
            :: work != 0 -> PUSH(release, work, 0); work = 0
            :: else
            fi;
            i = 1;
            do
            :: i <= NODES ->
                if
                :: has(n[up].inputs, i) -> PUSH(release, i, 0)
                :: else
                fi;
                i++
            :: else -> break
            od;
            n[up].inputs = 0
        }
    :: else
    fi
}

/* The object goes, with what it owns. */
inline doFree() {
    atomic {
        assert(n[x].life == DEINIT && n[x].rc == 0 && n[x].head == 0);
        assert(!isFuture(n[x].kind) || n[x].flags == VALUE || n[x].flags == FAILURE
            || n[x].hasLostInput || n[x].hasLostUpstream);
        n[x].life = FREED;
        /* Called or withdrawn: a user's closure does not outlive its use, unless it is never to be used: what it
           waited for was released in silence. */
        assert(n[x].closure == 0 || n[x].hasLostUpstream || n[n[x].upstream].isSilent);
        assert(n[x].remaining == 0);
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
        :: n[x].closure != 0 -> PUSH(release, n[x].closure, 0)
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
