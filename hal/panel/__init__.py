"""The unit in a browser: a board that listens to pages and shows them everything (extra `panel`).

    room.py      who is there, who holds what down, who still has to be told what; pure, no sockets
    snapshot.py  what a page must know to draw the unit as it stands now
    access.py    tokens, PINs, guests and owners
    guard.py     who may talk to it (Host, Origin, token), and the headers of every answer
    server.py    Starlette and uvicorn in a thread of their own; imported when a panel is opened, not before
    board.py     the `Board` and `Listener` the game sees
    mirror.py    a page beside the real board: the game's end, which trusts nobody
    mirrored.py  the pages' end, in a process of its own
    ways.py      how the two meet: started by the game, or through a Unix socket
    pace.py      how fast somebody may go on
    static/      the page: plain ES modules, no build step, nothing from elsewhere

One WebSocket (`/ws`) carries everything. A page is told, as JSON:

    {"hello": 1, "version": …, "header": …, "snapshot": …, "pages": 2, "now": 1250000, …}   first, and when the unit or
                                      its settings have changed, or this page has become the owner's
    protocol lines, all of one moment in one message, a newline between them
    {"input": {"press": "pile1"}}     somebody moved something: all pages draw the same unit
    {"pages": 2}                      so many pages are open
    {"snapshot": …}                   the page was too slow: this replaces what it has missed
    {"late": 400}                     the fault bench makes the game oversleep, ms
    {"error": "…"}                    its last message was refused, and why
    {"closing": true}                 the program ends

Beside the real board (`shows_only` in the greeting) the unit may be away (`away`), and be asked for nothing but wishes
and, in a self-test (`answers`), for `{"answer": "yes"}`, `no` and `skip`.

It says what the bench protocol says, without `t`: `{"press": "go"}`, `{"release": "go"}`,
`{"switch": "timer", "to": "on"}`, `{"wheel": 17}`, `{"battery": "low"}`, `{"break": "display"}`, `{"mend": "display"}`;
about once a second while it holds something down `{"still": true}`; `{"pin": "271828"}` to be the owner's; and what the
game grants as wishes: `{"unit": "spin"}`, `{"settings": {"common": {"volume": 2}}}`, `{"record": "start"}`. With the
fault bench (`lab` in the greeting) also `{"unplug": true}` and `{"late": 400}`, and only with it `battery`, `break`
and `mend`. Guests press and move things at most.
"""
