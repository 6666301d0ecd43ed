/* putOff(_:) of the node w, whose upstream is u. */
inline putOff(w, u) {
#ifndef FAULT_PUT_OFF_UNRETAINED
    addReference(u);
#endif
    n[w].next = 0;
    assert(lates < QUEUE);
    lateKind[lates] = runOne;
    late[lates] = w;
    lates = lates + 1
}

#define isTooDeep (depth >= maximumDepth)

/* FutureNode.enterDelivery(), of the class */
#if defined(FAULT_ENTERS_TOO_DEEP)
#define mayEnter (lates == 0)
#elif defined(FAULT_ENTERS_PAST_QUEUE)
#define mayEnter (!isTooDeep)
#else
#define mayEnter (!isTooDeep && lates == 0)
#endif

/* workThroughQueue(): runs what was put off now, or leaves it to the delivery that reached the limit. */
inline workThroughQueue() {
    if
    :: !isTooDeep -> depth = depth + 1; PUSH(leaveDelivery, 0, 0)
#ifndef FAULT_LOOP_WAITS
    :: isTooDeep && loopCalls != 0 && loopCalls == calls ->
        PUSH(endFresh, loopCalls, calls);
        loopCalls = 0;
        calls = 0;
        depth = 1;
        PUSH(leaveDelivery, 0, 0)
#endif
    :: else
    fi
}

/* The thread counts on where it was before it counted from zero. */
inline doEndFresh() {
    atomic {
        assert(depth == 0 && calls == 0 && loopCalls == 0);
        depth = maximumDepth;
        loopCalls = x;
        calls = y
    }
}

/* A closure settles y, if there is one, and then runs an event loop, one turn of which settles or cancels x. */
inline doTurnLoop() {
    if
    :: y != 0 -> PUSH(turnLoop, x, 0); PUSH(resolve, y, 0)
    :: else ->
        PUSH(endTurn, loopCalls, 0);
        PUSH(turnDoes, x, 0);
        loopCalls = calls
    fi
}

/* Nothing is left for after the event loop. */
inline doEndTurn() {
    atomic {
        assert(lates == 0);
        loopCalls = x
    }
}

/* deliverToWaiters(_:): the list y, newest first, belongs to this thread; x has settled. */
inline doDistribute() {
    d_step {
        TOUCH(x);
        other = y;
        do
        :: other != 0 ->
            TOUCH(other);
            turn();
            list = n[other].next;
            n[other].next = turned;
            turned = other;
            other = list
        :: else -> break
        od;
        list = 0;
        if
#ifndef FAULT_DELIVERS_TOO_DEEP
        :: isTooDeep ->
            do
            :: turned != 0 -> other = n[turned].next; putOff(turned, x); turned = other
            :: else -> break
            od;
            workThroughQueue()
#endif
        :: else ->
            depth = depth + 1;
            PUSH(leaveDelivery, 0, 0);
            if
            :: n[turned].next == 0 && lates == 0 -> PUSH(runOne, turned, x)
            :: n[turned].next == 0 && lates != 0 -> putOff(turned, x)
            :: else ->
                assert(frames < FRAMES);
                frameFuture[frames] = x;
                frameFirst[frames] = turned;
                frameLast[frames] = y;
                frames = frames + 1;
                PUSH(deliverNext, 0, 0)
            fi
        fi;
        other = 0;
        turned = 0
    }
}

/* deliverToWaiters(from:to:), one turn of its loop. */
inline doDeliverNext() {
    atomic {
        x = frameFirst[frames - 1];
        y = frameFuture[frames - 1];
        if
        :: x == 0 ->
            frames = frames - 1;
            frameFuture[frames] = 0;
            frameLast[frames] = 0
        :: else ->
            TOUCH(x);
            PUSH(deliverNext, 0, 0);
#ifdef FAULT_NEXT_READ_LATE
            PUSH(nextLate, x, 0);
#else
            /* Read first: delivering may enroll the node elsewhere. */
            frameFirst[frames - 1] = n[x].next;
#endif
            if
            :: lates == 0 -> PUSH(runOne, x, y)
            :: else -> putOff(x, y)
            fi
        fi
    }
}

#ifdef FAULT_NEXT_READ_LATE
inline doNextLate() {
    atomic { TOUCH(x); frameFirst[frames - 1] = n[x].next }
}
#endif

/* presentDelivery(): `i` is the number of the frame, from 1; or 0. */
inline findPresentDelivery(u) {
    i = frames;
    do
    :: i > 0 && frameFuture[i - 1] == u && frameFirst[i - 1] != 0 -> break
    :: i > 0 && !(frameFuture[i - 1] == u && frameFirst[i - 1] != 0) -> i--
    :: i == 0 -> break
    od
}

/* hand(_:) of the node x to the settled y. */
inline doHand() {
    d_step {
        TOUCH(x);
        TOUCH(y);
        findPresentDelivery(y);
#ifdef FAULT_HAND_OVERTAKES
        i = 0;
#endif
        if
        :: i == 0 && mayEnter ->
            depth = depth + 1;
            PUSH(leaveDelivery, 0, 0);
            PUSH(runOne, x, y)
        :: i != 0 ->
            n[x].next = 0;
            TOUCH(frameLast[i - 1]);
            n[frameLast[i - 1]].next = x;
            frameLast[i - 1] = x
        :: else -> putOff(x, y); workThroughQueue()
        fi;
        i = 0
    }
}

/* leaveDelivery(), one turn of its loop. */
inline doLeaveDelivery() {
    atomic {
        if
#ifdef FAULT_LIMIT_LEAVES_QUEUE
        :: (depth == 1 || depth < maximumDepth) && lates > 0 ->
#else
        :: lates > 0 ->
#endif
            PUSH(leaveDelivery, 0, 0);
            x = late[0];
            if
            :: lateKind[0] == runOne ->
                TOUCH(x);
                y = n[x].upstream;
#ifndef FAULT_PUT_OFF_UNRETAINED
                PUSH(release, y, 0);
#endif
                PUSH(runOne, x, y)
            :: lateKind[0] == release -> PUSH(release, x, 0)
            :: lateKind[0] == runCancellation ->
                assert(detached == 0 && retained == 0 && calling == 0 && timers == 0);
                detached = lateDetached[0];
                retained = lateRetained[0];
                calling = lateCalling[0];
                timers = lateTimers[0];
                PUSH(runCancellation, 0, 0)
            fi;
            d_step {
                i = 1;
                do
                :: i < lates ->
                    lateKind[i - 1] = lateKind[i];
                    late[i - 1] = late[i];
                    lateDetached[i - 1] = lateDetached[i];
                    lateRetained[i - 1] = lateRetained[i];
                    lateCalling[i - 1] = lateCalling[i];
                    lateTimers[i - 1] = lateTimers[i];
                    i++
                :: else -> break
                od;
                lates = lates - 1;
                lateKind[lates] = nothing;
                late[lates] = 0;
                lateDetached[lates] = 0;
                lateRetained[lates] = 0;
                lateCalling[lates] = 0;
                lateTimers[lates] = 0
            }
        :: else -> depth = depth - 1
        fi
    }
}

/* run(_:): x.deliver(x, y), then the release or the move of the list's reference. */
inline doRunOne() {
    atomic {
        TOUCH(x);
        TOUCH(y);
        assert(isSettled(n[y].flags) && n[y].result != NONE);
        PUSH(afterRun, x, 0);
        PUSH(receive, x, y)
    }
}

inline doAfterRun() {
    atomic {
        TOUCH(x);
        if
        :: n[x].isForwarding -> PUSH(spliceOut, x, 0); PUSH(spliceOutUpstream, x, 0)
        :: else -> PUSH(release, x, 0)
        fi
    }
}

/* A user's closure is called: the bound on what nests on one thread's stack. */
inline pushCall(x) {
    assert(calls < maximumDepth);
    if
    :: n[x].does != 0 ->
        calls = calls + 1;
        PUSH(endCall, 0, 0);
        PUSH(n[x].does, n[x].to, n[x].with)
    :: else
    fi
}

/* drop(_:) of the handlers that x had, with what they own. */
inline doDropHandlers() {
    atomic {
        if
        :: n[x].to == 0
#ifdef FAULT_HANDLERS_RELEASED_AT_ONCE
        :: n[x].to != 0 -> PUSH(release, n[x].to, 0)
#else
        :: n[x].to != 0 && mayEnter ->
            depth = depth + 1;
            PUSH(leaveDelivery, 0, 0);
            PUSH(release, n[x].to, 0)
        :: n[x].to != 0 && !mayEnter ->
            assert(lates < QUEUE);
            lateKind[lates] = release;
            late[lates] = n[x].to;
            lates = lates + 1;
            workThroughQueue()
#endif
        fi
    }
}

/* The `deliver` of each kind. */
inline doReceive() {
    if
    :: n[x].kind == OBSERVER ->
        atomic {
            TOUCH(x);
            TOUCH(y);
            assert(isSettled(n[y].flags) && n[y].result != NONE);
            n[x].calls = n[x].calls + 1;
            if
            :: n[x].place != 0 -> assert(n[x].place > lastPlace); lastPlace = n[x].place
            :: else
            fi;
            d_step {
                i = 1;
                do
                :: i <= NODES && x == loserObserver && n[y].result == FAILED ->
                    assert(!has(losers, i) || n[i].heard || n[i].result == SUCCESS
                        || n[i].result == FAILED);
                    i++
                :: else -> break
                od
            }
            pushCall(x)
        }
    :: n[x].kind == TASK ->
        lockIfPending(x);
        if
        :: ok ->
            atomic {
                n[x].source = y;
                addReference(y);
                ok = n[x].isSuspended;
                unlockTo(x, VALUE);
                if
                :: ok -> n[x].calls = n[x].calls + 1
                :: else
                fi
            }
        :: else -> waitUntilDetached(x)
        fi
    :: n[x].kind == INPUT ->
        claimAs(x, VALUE);
        if
        :: ok ->
            atomic {
                TOUCH(x);
                assert(isSettled(n[y].flags) && n[y].result != NONE);
                n[x].source = y;
                addReference(y);
                PUSH(inputSettled, n[x].owner, x)
            }
        :: else -> waitUntilDetached(x)
        fi
    :: n[x].kind == OBSERVATION ->
        claimAs(x, VALUE);
        if
        :: ok ->
            atomic {
                TOUCH(y);
                assert(isSettled(n[y].flags) && n[y].result != NONE);
                n[x].calls = n[x].calls + 1
            }
        :: else -> waitUntilDetached(x)
        fi;
        PUSH(dropClosure, x, 0)
    :: n[x].kind == TIMED ->
        lockIfPending(x);
        if
        :: ok ->
            atomic { TOUCH(y); n[x].result = n[y].result }
#ifdef FAULT_STORAGE_OF_FAILED
            atomic { readStorage(y) }
#endif
            if
            :: n[x].result == SUCCESS -> atomic { readStorage(y) }
            :: else
            fi;
            atomic {
                TOUCH(x);
                list = n[x].head;
                pushList(x);
                PUSH(cancelTimer, n[x].timer, 0);
                n[x].timer = 0;
                if
                :: n[x].result == SUCCESS -> unlockTo(x, VALUE)
                :: else -> unlockTo(x, FAILURE)
                fi
            }
        :: else -> waitUntilDetached(x)
        fi
    :: n[x].kind == DELAYED -> doHold()
    :: n[x].kind == MAP || (n[x].kind == FLAT && n[x].isForwarding) ->
        atomic { PUSH(finishDerived, x, y) }
    :: n[x].kind == FLAT && !n[x].isForwarding ->
        atomic {
            TOUCH(x);
            TOUCH(y);
            ok = isPending(n[x].flags) && n[x].closure != 0;
            assert(n[y].result != NONE)
        }
        if
        :: !ok -> waitUntilDetached(x); PUSH(dropClosure, x, 0)
        :: ok && n[y].result != SUCCESS ->
            atomic {
                PUSH(finishDerived, x, y);
                PUSH(release, n[x].closure, 0);
                n[x].closure = 0
            }
        :: else ->
            atomic {
                PUSH(release, n[x].closure, 0);
                PUSH(adopt, x, n[x].closure);
                n[x].closure = 0;
                n[x].started = 1
            }
        fi
    fi
}
