/* Departure.giveUp(_:) of the inputs that the aggregate `a`, or who starts it, has made. */
inline giveUpInputs(a) {
    i = 1;
    do
    :: i <= NODES && n[i].owner == a ->
        claimAs(i, LEAVING);
        if
        :: ok -> PUSH(step, i, 0)
        :: else
        fi;
        retained[i] = retained[i] + 1;
        i++
    :: i <= NODES && n[i].owner != a -> i++
    :: i > NODES -> break
    od
}

/* Aggregate.enroll(on:_:): makes the input x and enrolls it on y, unless the aggregate has settled. */
inline doAddInput() {
    atomic { TOUCH(n[x].to); ok = isPending(n[n[x].to].flags) }
    if
    :: ok ->
        atomic {
            n[x].owner = n[x].to;
            addReference(n[x].owner);
            n[x].life = ALIVE;
            n[x].rc = 1;
            PUSH(observe, x, y)
        }
    :: else -> PUSH(giveUpInterest, y, 0)
    fi
}

/* Aggregate.handOver(_:) of the inputs, which this thread owns, to x. */
inline doHandOver() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { n[x].holdsInputs = 1 }
        unlock(x)
    :: else ->
#ifdef FAULT_HAND_OVER_LOSES
        /* As if there were no `else`: the inputs are dropped, but not given up. */
        i = 1;
        do
        :: i <= NODES && n[i].owner == x -> PUSH(release, i, 0); i++
        :: i <= NODES && n[i].owner != x -> i++
        :: i > NODES -> break
        od
#else
        PUSH(walked, 0, 0);
        giveUpInputs(x)
#endif
    fi
}

/* Aggregate.inputSettled(_:), settle(as:) under the rule `first`. */
inline doInputSettled() {
    claimAs(x, CLAIMED);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            n[x].result = n[n[y].source].result;
            if
            :: n[x].result == SUCCESS -> readStorage(n[y].source)
            :: else
            fi
        }
        /* `walked` is put here once the list is known; it comes after the steps above it. */
        up = sp;
        sp = sp + 1;
        if
        :: n[x].holdsInputs -> n[x].holdsInputs = 0; giveUpInputs(x)
        :: else
        fi;
        if
        :: n[x].result == SUCCESS -> publish(x, VALUE)
        :: else -> publish(x, FAILURE)
        fi;
        atomic { sop[up] = walked; sx[up] = list; sy[up] = x }
    :: else
    fi
}
