/* spliceOut(for:callerRetains:): `m`, locked, is spliced out; `only`, locked, takes its place. `done` if it
   was. */
inline spliceOutFor(m, only, callerRetains) {
    done = 0;
    up = 0;
    ok = n[m].isForwarding && n[m].head == only && n[only].next == 0;
#ifndef FAULT_SPLICE_OUT_LASTING
    ok = ok && !n[m].lasts;
#endif
    if
    :: ok ->
        retainUpstream(m);
        if
        :: up != 0 ->
            tryLock(up);
            if
            :: ok ->
#ifndef FAULT_SPLICE_OUT_UNENROLLED
                ok = n[m].isEnrolled;
#endif
                if
                :: ok ->
                    if
                    :: callerRetains -> atomic { dropReference(m) }
                    :: else
                    fi;
                    atomic {
                        TOUCH(m);
                        TOUCH(only);
                        assert(n[up].flags == LOCKED && n[m].flags == LOCKED);
                        assert(n[only].flags == LOCKED && n[m].upstream == up);
#ifdef FAULT_SPLICE_OUT_SHARED
                        done = 1;
#else
                        done = (n[m].rc == 1);
#endif
                        if
                        :: done ->
                            replace(m, only, up);
                            n[m].result = CANCELLED;
                            unlockTo(m, FAILURE)
                        :: else ->
                            n[m].rc = n[m].rc + 1 + callerRetains
                        fi
                    }
                    PUSH(release, m, 0)
                :: else
                fi;
                unlock(up)
            :: else
            fi;
            PUSH(release, up, 0)
        :: else
        fi
    :: else
    fi;
    if
    :: !done -> unlock(m)
    :: else
    fi
}

/* What follows what in forward(from:deliver:). */
#ifdef FAULT_CYCLE_BEFORE_ADOPTION
#define afterAdopt   walkUp
#define afterWalk    forward
#define afterForward enrollExpected
#else
#define afterAdopt   forward
#define afterForward walkUp
#define afterWalk    enrollExpected
#endif

/* Future.adopt(_:): x is to settle as y does. */
inline doAdopt() {
    atomic { TOUCH(y); ok = isSettled(n[y].flags) && x != y }
    if
    :: ok -> PUSH(finishDerived, x, y)
    :: else ->
        atomic { TOUCH(x); n[x].source = y; PUSH(afterAdopt, x, y) }
    fi
}

/* FutureNode.forward(from:deliver:): first the new upstream, then the search for a cycle. */
inline doForward() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            n[x].upstream = y;
            n[x].isEnrolled = 0;
            n[x].isForwarding = 1;
            unlockTo(x, PENDING);
            PUSH(afterForward, x, y)
        }
    :: else ->
        waitUntilDetached(x);
#ifndef FAULT_FORWARD_FORGETS_INTEREST
        PUSH(giveUpInterest, y, 0)
#endif
    fi
}

/* cycle(through:), one turn of its loop: y is `last`, with a reference unless it is the first. At its end
   x fails, or is enrolled. */
inline doWalkUp() {
    if
    :: x == y ->
#ifdef FAULT_CYCLE_UNSEEN
        PUSH(afterWalk, x, n[x].source);
#else
        PUSH(failDerived, x, FAILED);
#endif
    :: else ->
        /* lockedUpstream() */
        if
        :: isRoot(n[y].kind) -> ok = 0
        :: else ->
#ifdef FAULT_CYCLE_UNLOCKED
            atomic { TOUCH(y); ok = isPending(n[y].flags) }
#else
            lockIfPending(y)
#endif
        fi;
        if
        :: ok ->
            retainUpstream(y);
#ifndef FAULT_CYCLE_UNLOCKED
            unlock(y)
#endif
        :: else
        fi;
        if
        :: up != 0 -> PUSH(walkUp, x, up)
        :: else -> PUSH(afterWalk, x, n[x].source)
        fi
    fi;
    if
    :: y != n[x].source -> PUSH(release, y, 0)
    :: else
    fi
}

/* FutureNode.spliceOut(_:) of x, of which this thread owns a reference; spliceOutUpstream() was before. */
inline doSpliceOut() {
    atomic { TOUCH(x); ok = (n[x].head != 0) }
    if
    :: ok -> lockIfPending(x)
    :: else
    fi;
    if
    :: ok ->
        i = n[x].head;
        if
        :: i != 0 && n[i].next == 0 -> tryLock(i)
        :: else -> ok = 0
        fi;
        if
        :: ok && n[i].isForwarding ->
            spliceOutFor(x, i, 1);
            unlock(i);
            ok = done
        :: ok && !n[i].isForwarding ->
            unlock(i);
            unlock(x);
            ok = 0
        :: else -> unlock(x)
        fi
    :: else
    fi;
    if
    :: !ok -> PUSH(release, x, 0)
    :: else
    fi
}

/* FutureNode.spliceOutUpstream() */
inline doSpliceOutUpstream() {
    if
    :: n[x].isForwarding -> lockIfPending(x)
    :: else
    fi;
    if
    :: ok ->
        i = n[x].upstream;
        if
        :: i == 0 || isRoot(n[i].kind) -> ok = 0
        :: else -> tryLock(i)
        fi;
        if
        :: ok -> spliceOutFor(i, x, 0)
        :: else
        fi;
        unlock(x)
    :: else
    fi
}

/* Future.flatMap(_:) of a settled future y: x is the new one. */
inline doFlatMapSettled() {
    atomic {
        assert(depth == 0);
        depth = 1;
        PUSH(leaveDelivery, 0, 0);
        PUSH(spliceOutUpstream, x, 0);
        PUSH(receive, x, y)
    }
}
