/* replace(_:by:): under the lock of `u`, `new` takes the place of `old` between its neighbours; without
   one, `unlink(_:)`. */
inline replace(old, new, u) {
    TOUCH(old);
    TOUCH(new);
    n[new].next = n[old].next;
    n[new].previous = n[old].previous;
#ifndef FAULT_SPLICE_OUT_KEEPS_UPSTREAM
    n[new].upstream = u;
#endif
    n[new].isEnrolled = 1;
    setNeighbours(old, new, new, u)
}

inline unlink(w, u) {
    TOUCH(w);
    setNeighbours(w, n[w].previous, n[w].next, u);
    n[w].next = 0;
    n[w].previous = 0;
    n[w].isEnrolled = 0
}

/* The older neighbour of w gets another newer one, and the newer one another older one. */
inline setNeighbours(w, newer, older, u) {
    d_step {
        assert(n[u].flags == LOCKED);
        if
        :: n[w].next != 0 -> TOUCH(n[w].next); n[n[w].next].previous = newer
        :: else
        fi;
        if
        :: n[w].previous != 0 -> TOUCH(n[w].previous); n[n[w].previous].next = older
        :: else -> assert(n[u].head == w); n[u].head = older
        fi
    }
}

/* Puts a reference into the cancellation, which is given back in `finish`: one for each node is enough,
   since any other cannot be the last before. */
inline keepReference(x) {
    if
    :: has(retained, x) -> dropReference(x)
    :: else -> retained = retained | bitOf(x)
    fi
}

/* unlockWithoutInterest(_:): `alone` if the caller has to detach `u` now. */
inline unlockWithoutInterest(u) {
    n[u].left = 1;
    if
#ifdef FAULT_INTEREST_BEFORE_LOCK
    :: !wasLast || n[u].head != 0 || n[u].lasts -> unlockTo(u, PENDING); alone = 0
#else
    :: n[u].head != 0 || n[u].lasts -> unlockTo(u, PENDING); alone = 0
#endif
    :: else ->
        n[u].wasGivenUp = 1;
        if
        :: isRoot(n[u].kind) && !n[u].listens -> unlockTo(u, PENDING); alone = 0
        :: isRoot(n[u].kind) && n[u].listens ->
            /* The error takes the place of the handlers. */
            n[u].result = CANCELLED;
            n[u].listens = 0;
            calling = calling | bitOf(u);
            unlockTo(u, FAILURE);
            alone = 1
        :: else -> n[u].result = CANCELLED; unlockTo(u, DETACHING); alone = 1
        fi
    fi
}

/* FutureNode.abort(with:); y is the failure, or 0 for CancellationError. */
inline doCancel() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            list = n[x].head;
            done = n[x].listens;
            n[x].listens = 0;
            n[x].result = (y != 0 -> y : CANCELLED);
            if
            :: isRoot(n[x].kind) ->
                unlockTo(x, FAILURE);
                if
                :: done -> PUSH(finish, x, 0)
                :: else
                fi;
                if
                :: list != 0 -> PUSH(distribute, x, list)
                :: else
                fi
            :: else ->
                assert(!done);
#ifdef FAULT_CANCEL_WITHOUT_DETACHING
                unlockTo(x, FAILURE);
#else
                unlockTo(x, DETACHING);
#endif
#ifdef FAULT_DROPS_DELIVERED
                PUSH(dropClosure, x, 0);
#endif
                pushGivingUp(x)
            fi
        }
    :: else
    fi
}

/* TaskWaiter.cancel(), with detach(): the interest is left to another thread. */
inline doCancelTask() {
    atomic { n[x].started }
    lockIfPending(x);
    if
    :: ok ->
        atomic { done = n[x].isSuspended; unlockTo(x, DETACHING) }
        retainUpstream(x);
        if
        :: up != 0 ->
            lockIfPending(up);
            if
            :: ok ->
                atomic {
                    TOUCH(up);
                    wasEnrolled = n[x].isEnrolled;
                    if
                    :: wasEnrolled -> unlink(x, up); n[up].left = 1
                    :: else
                    fi;
                    unlockTo(up, PENDING)
                }
            :: else
            fi
        :: else
        fi;
        atomic { TOUCH(x); setDetached(x) }
        atomic {
            if
            :: done -> n[x].calls = n[x].calls + 1
            :: else
            fi;
            if
            :: wasEnrolled -> PUSH(release, x, 0)
            :: else
            fi;
            if
            :: up != 0 -> running = running + 1; start2(giveUpInterest, up, release, up)
            :: else
            fi
        }
    :: else
    fi
}

/* FutureNode.giveUpInterest() */
inline doGiveUpInterest() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            wasLast = (n[x].head == 0);
            unlockWithoutInterest(x);
            if
            :: alone -> PUSH(finish, 0, 0); PUSH(detachInputs, 0, 0); PUSH(step, x, 0)
            :: else
            fi
        }
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
            done = n[x].wasGivenUp && n[x].head == 0 && !n[x].lasts;
            n[x].listens = 1;
            unlockTo(x, PENDING)
        }
#ifndef FAULT_LATE_HANDLER_UNTOLD
        if
        :: done -> PUSH(giveUpInterest, x, 0)
        :: else
        fi
#endif
    :: else ->
        atomic {
            TOUCH(x);
            assert(n[x].result != NONE);
            if
            :: n[x].result == CANCELLED -> PUSH(call, x, 0)
            :: else
            fi
        }
    fi
}

/* dropWaits(into:): an aggregate hands over its inputs, and itself; a future with a timer that. */
inline dropWaits(x) {
    if
    :: n[x].inputs != 0 ->
        givenUp = givenUp | n[x].inputs;
        n[x].inputs = 0;
        aggregates = aggregates | bitOf(x);
        addReference(x);
        keepReference(x)
    :: else
    fi;
    if
    :: n[x].kind == TRAVERSAL ->
        isOver = 1;
        if
        :: work != 0 -> retained = retained | bitOf(work); work = 0
        :: else
        fi
    :: n[x].timer != 0 -> timers = timers | bitOf(n[x].timer); n[x].timer = 0
    :: else
    fi
}

/* Cancellation.step(_:). If y, this thread owns a reference besides: that of retainUpstream. */
inline doStep() {
    atomic { TOUCH(x); turn(); dropWaits(x) }
#ifdef FAULT_DETACHED_TOO_EARLY
    atomic { TOUCH(x); setDetached(x) }
#endif
    if
    :: !isRoot(n[x].kind) -> retainUpstream(x)
    :: else
    fi;
#ifdef FAULT_INTEREST_BEFORE_LOCK
    if
    :: up != 0 -> atomic { wasLast = (n[up].head == x && n[x].next == 0) }
    :: else
    fi;
#endif
    if
    :: up != 0 ->
        /* FutureNode.unlink(_:for:) */
        lockIfPending(up);
        if
        :: ok ->
#ifdef FAULT_UNLOCK_BEFORE_UNLINK
            wasEnrolled = n[x].isEnrolled;
            unlock(up);
            if
            :: wasEnrolled ->
                atomic { ok = (n[up].head == x); list = n[x].next }
                if
                :: ok -> n[up].head = list
                :: else -> n[n[up].head].next = list
                fi;
                list = 0;
                n[x].isEnrolled = 0;
                lockIfPending(up);
                if
                :: ok -> atomic { unlockWithoutInterest(up) }
                :: else
                fi
            :: else
            fi
#else
            atomic {
                TOUCH(up);
                TOUCH(x);
                assert(n[up].flags == LOCKED);
#ifdef FAULT_REMOVE_UNENROLLED
                wasEnrolled = 1;
#else
                wasEnrolled = n[x].isEnrolled;
#endif
                if
                :: wasEnrolled -> unlink(x, up); unlockWithoutInterest(up)
                :: else -> unlockTo(up, PENDING)
                fi
            }
#endif
        :: else
        fi
    :: else
    fi;
    atomic {
        if
        :: wasEnrolled ->
            /* The list's reference passes to `detached`; ours is one too many. */
            assert(!has(detached, x));
            detached = detached | bitOf(x);
            if
            :: y -> dropReference(x)
            :: else
            fi
        :: !wasEnrolled && y -> keepReference(x)
        :: else
        fi
    }
#ifdef FAULT_RELEASE_ON_THE_WAY
    if
    :: up != 0 && !alone -> PUSH(stepEnd, x, 0); PUSH(release, up, 0); ok = 0; up = 0
    :: else -> ok = 1
    fi;
    if
    :: ok -> atomic { TOUCH(x); setDetached(x) }
    :: else
    fi;
#else
    /* The last touch: from here on the upstream's owner goes on. */
    atomic {
        TOUCH(x);
        if
        :: n[x].flags == DETACHING -> setDetached(x)
        :: else
        fi
    }
#endif
    if
    :: alone -> PUSH(step, up, 1)
    :: !alone && up != 0 -> atomic { keepReference(up) }
    :: else
    fi
}

#ifdef FAULT_RELEASE_ON_THE_WAY
inline doStepEnd() {
    atomic { TOUCH(x); setDetached(x) }
}
#endif

/* Cancellation.detachInputs(), one turn of its loop: x is the aggregate, y the number of its inputs that
   were given up so far. */
inline doDetachInputs() {
    if
    :: x == 0 ->
        atomic {
            i = 1;
            do
            :: i <= NODES && !has(aggregates, i) -> i++
            :: else -> break
            od;
            if
            :: i <= NODES ->
                aggregates = aggregates & ~bitOf(i);
                PUSH(detachInputs, 0, 0);
                PUSH(detachInputs, i, 0)
            :: else
            fi
        }
    :: else ->
        atomic {
            i = 1;
            do
            :: i <= NODES && !(has(givenUp, i) && n[i].owner == x) -> i++
            :: else -> break
            od
        }
        if
        :: i <= NODES ->
#ifdef FAULT_CLAIMS_ALL_FIRST
            /* As if all were claimed, and then one after the other detached. */
            up = sp;
            sp = sp + 1;
            do
            :: i <= NODES && has(givenUp, i) && n[i].owner == x ->
                atomic { turn(); givenUp = givenUp & ~bitOf(i); keepReference(i) }
                claimAs(i, DETACHING);
                atomic {
                    if
                    :: ok -> PUSH(step, i, 0); list = list + 1
                    :: else
                    fi;
                    i++
                }
            :: i <= NODES && !(has(givenUp, i) && n[i].owner == x) -> i++
            :: i > NODES -> break
            od;
            atomic { sop[up] = detachInputs; sx[up] = x; sy[up] = list }
#else
            atomic { turn(); givenUp = givenUp & ~bitOf(i); keepReference(i) }
            claimAs(i, DETACHING);
            if
            :: ok -> PUSH(detachInputs, x, y + 1); PUSH(step, i, 0)
            :: else -> PUSH(detachInputs, x, y)
            fi
#endif
        :: else ->
            /* inputsGivenUp(_:); a traversal does not count its inputs. */
#ifdef FAULT_COUNT_OF_NONE
            ok = (n[x].kind != TRAVERSAL);
#else
            ok = (y > 0 && n[x].kind != TRAVERSAL);
#endif
#ifdef FAULT_GIVEN_UP_UNCOUNTED
            ok = 0;
#endif
            if
            :: ok ->
                countDown(x, y);
                if
                :: ok -> atomic { dropReference(x) }
                :: else
                fi
            :: else
            fi
        fi
    fi
}

/* Cancellation.finish(); x is a cancelled root whose handlers are to be called, or 0. */
inline doFinish() {
    atomic {
        assert(aggregates == 0 && givenUp == 0);
        if
        :: x != 0 -> calling = calling | bitOf(x)
        :: else
        fi;
        if
        :: detached == 0 && retained == 0 && calling == 0 && timers == 0
#ifdef FAULT_HANDLERS_NOT_PUT_OFF
        :: else -> PUSH(runCancellation, 0, 0)
#else
        :: (detached != 0 || retained != 0 || calling != 0 || timers != 0) && mayEnter ->
            depth = depth + 1;
            PUSH(leaveDelivery, 0, 0);
            PUSH(runCancellation, 0, 0)
        :: (detached != 0 || retained != 0 || calling != 0 || timers != 0) && !mayEnter ->
            assert(lates < QUEUE);
            lateKind[lates] = runCancellation;
            lateDetached[lates] = detached;
            lateRetained[lates] = retained;
            lateCalling[lates] = calling;
            lateTimers[lates] = timers;
            lates = lates + 1;
            detached = 0; retained = 0; calling = 0; timers = 0;
            workThroughQueue()
#endif
        fi
    }
}

/* Cancellation.run(): timers first, then handlers, closures, references, and what the handlers own. */
inline doRunCancellation() {
    d_step {
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(calling, i) && n[i].to != 0 -> PUSH(release, n[i].to, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(retained, i) -> PUSH(release, i, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(detached, i) -> PUSH(release, i, 0); PUSH(dropClosure, i, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(calling, i) -> PUSH(call, i, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(timers, i) -> PUSH(cancelTimer, i, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0;
        detached = 0; retained = 0; calling = 0; timers = 0
    }
}

/* dropClosure(): the closure goes. This thread has the node to itself, so nobody takes the closure between. */
inline doDropClosure() {
    atomic { TOUCH(x); i = n[x].closure }
    if
    :: i != 0 -> atomic { PUSH(release, i, 0); n[x].closure = 0 }
    :: else
    fi
}

/* A cancel handler is called. It does not need the node any more. */
inline doCall() {
    atomic {
        n[x].heard = n[x].heard + 1;
        pushCall(x)
    }
}
