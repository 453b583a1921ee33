from __future__ import annotations

from typing import Optional, cast

from .. import types
from .._calls import CallOptions
from .._states import ConnectStart, ReturnQuery, challenged, read_state, result_in, start_of
from ..errors import ApiError, ReturnError
from .transport import AsyncResource

# Short, because a user is waiting.
_MAX_WAIT = 3.0


class AsyncConnect(AsyncResource):
    """Behind a Connect button: sends a user to link an account and reads the result when the browser returns."""

    async def begin(self, request: types.ConnectRequest, *, options: Optional[CallOptions] = None) -> ConnectStart:
        """Creates a connect session."""
        body, verifier = challenged(request)
        session = await self._transport.send("createConnectSession", body=body, options=self._short(options))
        return start_of(session, verifier)

    async def begin_relink(
        self, connection_id: str, request: types.RelinkRequest, *, options: Optional[CallOptions] = None
    ) -> ConnectStart:
        """Creates a re-link session for a signed-in user, who returns as after `begin`.

        Check that the connection belongs to this user. For a URL that you send by email, use
        `connections.create_relink_session`.
        """
        body, verifier = challenged(request)
        params, short = {"connectionId": connection_id}, self._short(options)
        session = await self._transport.send("createRelinkSession", params=params, body=body, options=short)
        return start_of(session, verifier)

    async def finish(
        self, query: ReturnQuery, state: Optional[str], *, options: Optional[CallOptions] = None
    ) -> types.Link:
        """Returns the link that the browser returned with.

        `query` is the parsed query of the return URL, or the whole URL. All members of the link are read from the
        API, because the query can be forged. Raises ReturnError if another browser started the connect session.
        """
        returned, code = result_in(query)
        session_id, verifier = read_state(state)
        if returned != session_id:
            raise ReturnError("state_mismatch", "This browser returned from a connect session that it did not start.")
        short = self._short(options)
        if not code:
            return await self._read_link(session_id, short)
        try:
            link = await self._transport.send(
                "completeConnectSession",
                params={"connectSessionId": session_id},
                body={"completionCode": code, "completionVerifier": verifier},
                options=short,
            )
        except ApiError as error:
            # The user reloaded the page.
            if error.code != "completion_used":
                raise
            return await self._read_link(session_id, short)
        return cast(types.Link, link)

    async def _read_link(self, session_id: str, options: CallOptions) -> types.Link:
        params = {"connectSessionId": session_id}
        session = await self._transport.send("getConnectSession", params=params, options=options)
        if "linkId" not in session:
            raise ReturnError("result_missing", "The user has not started this connect session.")
        link = await self._transport.send("getLink", params={"linkId": session["linkId"]}, options=options)
        return cast(types.Link, link)

    def _short(self, options: Optional[CallOptions]) -> CallOptions:
        of_client = self._transport.settings.max_wait
        short: CallOptions = {"max_wait": _MAX_WAIT if of_client is None else min(of_client, _MAX_WAIT)}
        short.update(options or {})
        return short
