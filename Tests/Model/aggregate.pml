/* Aggregate.countDown(_:): `ok` if there are none left. */
inline countDown(a, by) {
    atomic {
        TOUCH(a);
        assert(n[a].remaining >= by);
        n[a].remaining = n[a].remaining - by;
        ok = (n[a].remaining == 0)
    }
}

/* Aggregate.countDownAndRelease(_:), or the end of inputSettled(_:) and what AggregateInput.receive(_:) does then. */
inline doCountDownAndRelease() {
    countDown(x, y);
    if
    :: ok ->
        PUSH(release, x, 0);
        if
        :: n[x].kind == ALL -> PUSH(conclude, x, 0)
        :: else
        fi
    :: else
    fi
}

/* Aggregate.conclude(): makes the value of all inputs, and settles. */
inline doConclude() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            set = n[x].inputs;
            i = 1;
            do
            :: i <= NODES ->
                if
                :: has(set, i) -> addReference(i); PUSH(release, i, 0)
                :: else
                fi;
                i++
            :: else -> break
            od;
#ifndef FAULT_CONCLUDES_LOCKED
            unlockTo(x, PENDING)
#endif
        }
        /* What is read has settled for good. */
        atomic {
            i = 1;
            do
            :: i <= NODES ->
                if
                :: has(set, i) -> turn(); TOUCH(i); readStorage(n[i].source)
                :: else
                fi;
                i++
            :: else -> break
            od
        }
#ifdef FAULT_CONCLUDES_LOCKED
        unlock(x);
#endif
        exchangeToValue(x);
        if
        :: ok -> atomic { PUSH(dropInputs, x, 0); pushList(x) }
        :: else -> waitUntilDetached(x)
        fi
    :: else
    fi
}

/* `inputs = []` of who has settled the aggregate with its value. */
inline doDropInputs() {
    atomic {
        i = 1;
        do
        :: i <= NODES ->
            if
            :: has(n[x].inputs, i) -> PUSH(release, i, 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        n[x].inputs = 0
    }
}

/* Aggregate.ignore(_:), one turn of its loop, with the reference that the array had; y of the inputs before are
   claimed. A claimed input leaves the list by detach(leavingInterest:). */
inline doIgnore() {
    atomic {
        i = 1;
        do
        :: i <= NODES && !has(n[x].kept, i) -> i++
        :: else -> break
        od
    }
    if
    :: i <= NODES ->
        atomic { TOUCH(x); n[x].kept = n[x].kept & ~bitOf(i) }
#if defined(FAULT_IGNORES_UNCLAIMED)
        ok = isPending(n[i].flags);
#elif defined(FAULT_IGNORED_STAYS)
        claimAs(i, FAILURE);
#else
        claimAs(i, DETACHING);
#endif
        if
        :: ok ->
            PUSH(ignore, x, y + 1);
            PUSH(release, i, 0);
#ifndef FAULT_IGNORED_STAYS
            retainUpstream(i);
            if
            :: up != 0 ->
                PUSH(release, up, 0);
                lockIfPending(up);
                if
                :: ok ->
                    atomic {
                        TOUCH(up);
                        wasEnrolled = n[i].isEnrolled;
#ifndef FAULT_INTEREST_ENDS
                        n[up].lasts = 1;
#endif
                        if
                        :: wasEnrolled -> unlink(i, up)
                        :: else
                        fi;
                        unlockTo(up, PENDING)
                    }
                :: else
                fi
            :: else
            fi;
            atomic { TOUCH(i); setDetached(i) }
            /* The list's reference goes first; the upstream's may be the last. */
            if
            :: wasEnrolled -> atomic { dropReference(i) }
            :: else
            fi
#endif
        :: else ->
            PUSH(ignore, x, y);
            PUSH(release, i, 0)
        fi
    :: else ->
        if
        :: y > 0 -> PUSH(countDownAndRelease, x, y)
        :: else
        fi
    fi
}

/* Aggregate.enroll(on:_:): makes the input x and enrolls it on y, unless the aggregate has settled. Who
   starts the aggregate has an array of the inputs: those that are ALIVE and not among its `inputs`. */
inline doAddInput() {
    atomic { TOUCH(n[x].to); ok = isPending(n[n[x].to].flags) }
    if
    :: ok ->
        atomic {
            n[x].owner = n[x].to;
            n[x].life = ALIVE;
            n[x].rc = 1;
            TOUCH(y);
            /* Both steps that may follow look at y again. */
            if
            :: isSettled(n[y].flags) -> PUSH(receive, x, y)
            :: else -> PUSH(observe, x, y)
            fi
        }
    :: else ->
        PUSH(countDownAndRelease, n[x].to, 1);
        if
        :: n[n[x].to].keepsGoing ->
            /* FutureNode.keepInterest() */
#ifndef FAULT_LATE_INTEREST_ENDS
            lockIfPending(y);
            if
            :: ok -> atomic { TOUCH(y); n[y].lasts = 1; unlockTo(y, PENDING) }
            :: else
            fi
#endif
        :: else -> PUSH(giveUpInterest, y, 0)
        fi
    fi
}

/* Aggregate.handOver(_:) of the inputs, which this thread owns, to x. */
inline doHandOver() {
    atomic {
        i = 1;
        do
        :: i <= NODES ->
            if
            :: n[i].owner == x -> set = set | bitOf(i)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0
    }
    lockIfPending(x);
    PUSH(countDownAndRelease, x, 1);
    if
    :: ok -> atomic { n[x].inputs = set; unlockTo(x, PENDING) }
    :: else ->
#ifdef FAULT_HAND_OVER_LOSES
        /* As if there were no `else`: the inputs are dropped, but not given up. */
        atomic {
            i = 1;
            do
            :: i <= NODES ->
                if
                :: has(set, i) -> PUSH(release, i, 0)
                :: else
                fi;
                i++
            :: else -> break
            od
        }
#else
        atomic {
            if
            :: n[x].keepsGoing -> n[x].kept = set; PUSH(ignore, x, 0)
            :: else ->
                givenUp = set;
                aggregates = bitOf(x);
                addReference(x);
                keepReference(x);
                PUSH(finish, 0, 0);
                PUSH(detachInputs, 0, 0)
            fi
        }
#endif
    fi
}

/* inputSettled(_:) of the aggregate x, of which y is the input. The aggregate is not held here but by
   itself, for the input that has not let go yet; a traversal by the input. */
inline doInputSettled() {
    if
    :: n[x].kind == TRAVERSAL ->
        if
        :: n[n[y].source].result == SUCCESS ->
            atomic { assert(pending > 0); pending = pending - 1 }
            PUSH(pump, x, 0)
        :: else -> PUSH(cancel, x, FAILED)
        fi
    :: else ->
#ifndef FAULT_COUNT_TOO_EARLY
        PUSH(countDownAndRelease, x, 1);
#else
        countDown(x, 1);
        if
        :: ok -> PUSH(release, x, 0)
        :: else
        fi;
#endif
        if
        :: n[x].kind == RACE || n[n[y].source].result != SUCCESS -> lockIfPending(x)
        :: else -> ok = 0
        fi;
        if
        :: ok ->
            atomic {
                TOUCH(x);
                n[x].result = n[n[y].source].result;
                if
                :: n[x].result == SUCCESS -> readStorage(n[y].source)
                :: else
                fi;
                if
                :: n[x].keepsGoing && n[x].inputs != 0 ->
                    n[x].kept = n[x].inputs;
                    n[x].inputs = 0;
                    PUSH(ignore, x, 0)
                :: else
                fi;
                list = n[x].head;
                if
                :: n[x].result == SUCCESS -> unlockTo(x, VALUE)
                :: else -> unlockTo(x, FAILURE)
                fi;
                pushGivingUp(x)
            }
        :: else
        fi
    fi
}
