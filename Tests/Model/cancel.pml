/* fillInPrevious() of a locked future. */
inline fillInPrevious(u) {
    assert(n[u].flags == LOCKED);
    other = n[u].head;
    do
    :: other != 0 ->
        TOUCH(other);
        turned = n[other].next;
        if
        :: turned == 0 -> other = 0
        :: else ->
            TOUCH(turned);
            if
            :: n[turned].previous == other -> other = 0
            :: else -> n[turned].previous = other; other = turned
            fi
        fi
    :: else -> break
    od;
    turned = 0
}

/* unlink(_:): under the lock of `u`. */
inline unlink(w, u) {
    fillInPrevious(u);
    TOUCH(w);
    if
    :: n[w].next != 0 -> TOUCH(n[w].next); n[n[w].next].previous = n[w].previous
    :: else
    fi;
    if
    :: n[w].previous != 0 -> TOUCH(n[w].previous); n[n[w].previous].next = n[w].next
    :: else -> assert(n[u].head == w); n[u].head = n[w].next
    fi;
    n[w].next = 0;
    n[w].previous = 0;
    n[w].isLinked = 0
}

/* attach(.cancelled), and Departure.call(_:) with the handlers, of which the error takes the place. */
inline attachCancelled(u) {
    n[u].result = CANCELLED;
    if
    :: n[u].listens -> calling[u] = 1; n[u].listens = 0
    :: else
    fi
}

/* unlockWithoutInterest(_:): `alone` if the caller has to detach `u` now. */
inline unlockWithoutInterest(u) {
    n[u].left = 1;
    if
#ifdef FAULT_INTEREST_BEFORE_LOCK
    :: !wasLast || n[u].head != 0 -> n[u].flags = PENDING; alone = 0
#else
    :: n[u].head != 0 -> n[u].flags = PENDING; alone = 0
#endif
    :: else ->
        n[u].wasGivenUp = 1;
        if
        :: isRoot(n[u].kind) && !n[u].listens -> n[u].flags = PENDING; alone = 0
        :: else -> attachCancelled(u); n[u].flags = LEAVING; n[u].head = 0; alone = 1
        fi
    fi
}

/* FutureNode.abort(with:) */
inline doCancel() {
    claimAs(x, CLAIMED);
    if
    :: ok ->
        atomic { TOUCH(x); attachCancelled(x) }
#ifdef FAULT_ABORT_WITHOUT_LEAVING
        publish(x, FAILURE);
#else
        publish(x, LEAVING);
#endif
        PUSH(walked, list, x);
        PUSH(step, x, 0)
    :: else
    fi
}

/* TaskWaiter.cancel(); afterwards it resumes the task, if that waits already. */
inline doCancelTask() {
    claimAs(x, LEAVING);
    if
    :: ok ->
        if
        :: n[x].source == 1 -> PUSH(call, x, 0)
        :: else
        fi;
        PUSH(walked, 0, 0);
        PUSH(step, x, 0)
    :: else
    fi
}

/* FutureNode.giveUpInterest() */
inline doGiveUpInterest() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { d_step { wasLast = (n[x].head == 0); unlockWithoutInterest(x) } }
        if
        :: alone -> PUSH(walked, 0, 0); PUSH(step, x, 0)
        :: else
        fi
    :: else
    fi
}

/* FutureNode.addCancelHandler(_:) */
inline doOnCancel() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            done = n[x].wasGivenUp && n[x].head == 0;
            n[x].listens = 1
        }
        unlock(x);
#ifndef FAULT_LATE_HANDLER_UNTOLD
        if
        :: done -> PUSH(giveUpInterest, x, 0)
        :: else
        fi
#endif
    :: else ->
        atomic {
            untilSettled(x);
            TOUCH(x);
            if
            :: n[x].result == CANCELLED -> PUSH(call, x, 0)
            :: else
            fi
        }
    fi
}

/* Departure.step(_:). If y, this thread owns a reference besides: that of retainUpstream. */
inline doStep() {
    /* surrender(to:) */
    atomic { TOUCH(x) }
    if
    :: n[x].kind == RACE && n[x].holdsInputs ->
        n[x].holdsInputs = 0;
        giveUpInputs(x);
#ifdef FAULT_COUNT_OF_NONE
        ok = 1;
#else
        ok = (number > 0);
#endif
#ifdef FAULT_GIVEN_UP_UNCOUNTED
        ok = 0;
#endif
        if
        :: ok ->
            countDown(x, number);
            if
            :: ok -> atomic { assert(n[x].rc > 1); n[x].rc = n[x].rc - 1 }
            :: else
            fi
        :: else
        fi
    :: else
    fi;
#ifdef FAULT_LEFT_TOO_EARLY
    atomic { TOUCH(x); n[x].flags = FAILURE }
#endif
    retainUpstream(x);
#ifdef FAULT_INTEREST_BEFORE_LOCK
    if
    :: up != 0 -> atomic { wasLast = (n[up].head == x && n[x].next == 0) }
    :: else
    fi;
#endif
    if
    :: up != 0 ->
        /* FutureNode.remove(_:) */
        lockIfPending(up);
        if
        :: ok ->
#ifdef FAULT_UNLOCK_BEFORE_UNLINK
            wasLinked = n[x].isLinked;
            unlock(up);
            if
            :: wasLinked ->
                atomic { ok = (n[up].head == x); list = n[x].next }
                if
                :: ok -> n[up].head = list
                :: else -> n[n[up].head].next = list
                fi;
                list = 0;
                n[x].isLinked = 0;
                lockIfPending(up);
                if
                :: ok -> atomic { d_step { unlockWithoutInterest(up) } }
                :: else
                fi
            :: else
            fi
#else
            atomic {
                TOUCH(up);
                TOUCH(x);
                assert(n[up].flags == LOCKED);
#ifdef FAULT_REMOVE_UNLINKED
                wasLinked = 1;
#else
                wasLinked = n[x].isLinked;
#endif
                if
                :: wasLinked -> d_step { unlink(x, up); unlockWithoutInterest(up) }
                :: else -> n[up].flags = PENDING
                fi
            }
#endif
        :: else
        fi
    :: else
    fi;
    if
    :: wasLinked ->
        /* The list's reference passes to `removed`; ours is one too many. */
        removed[x] = removed[x] + 1;
        if
        :: y -> atomic { assert(n[x].rc > 1); n[x].rc = n[x].rc - 1 }
        :: else
        fi
    :: else ->
        retained[x] = retained[x] + 1;
        if
        :: !y -> atomic { addReference(x) }
        :: else
        fi
    fi;
#ifdef FAULT_RELEASE_IN_PHASE
    if
    :: up != 0 && !alone -> PUSH(stepEnd, x, 0); PUSH(release, up, 0); ok = 0; up = 0
    :: else -> ok = 1
    fi;
    if
    :: ok -> atomic { TOUCH(x); n[x].flags = FAILURE }
    :: else
    fi;
#else
    /* The last touch: from here on the upstream's owner goes on. */
    atomic {
        TOUCH(x);
#ifndef FAULT_LEFT_TOO_EARLY
#ifndef FAULT_ABORT_WITHOUT_LEAVING
        assert(n[x].flags == LEAVING);
#endif
#endif
        n[x].flags = FAILURE
    }
#endif
    if
    :: alone -> PUSH(step, up, 1)
    :: !alone && up != 0 -> retained[up] = retained[up] + 1
    :: else
    fi
}

#ifdef FAULT_RELEASE_IN_PHASE
inline doStepEnd() {
    atomic { TOUCH(x); n[x].flags = FAILURE }
}
#endif

/* The loop has ended: what it put aside is dropped, after the list x of y is run. */
inline doWalked() {
    atomic {
        i = 1;
        do
        :: i <= NODES ->
            if
            :: calling[i] -> PUSH(call, i, 0); calling[i] = 0
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            do
            :: retained[i] > 0 -> PUSH(release, i, 0); retained[i] = retained[i] - 1
            :: else -> break
            od;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            if
            :: removed[i] > 0 ->
                assert(removed[i] == 1);
                PUSH(release, i, 0);
                PUSH(withdraw, i, 0);
                removed[i] = 0
            :: else
            fi;
            i++
        :: else -> break
        od;
        list = x
    }
    pushDistribute(y)
}

/* Waiter.withdraw() */
inline doWithdraw() {
    atomic {
        TOUCH(x);
        if
        :: n[x].closure != 0 -> PUSH(release, n[x].closure, 0); n[x].closure = 0
        :: else
        fi
    }
}

/* A cancel handler is called; or a task resumed. Neither needs the node any more. */
inline doCall() {
    atomic {
        if
        :: n[x].kind == TASK -> n[x].calls = n[x].calls + 1
        :: else -> n[x].heard = n[x].heard + 1
        fi
    }
}
