// Whether the program in this container answers. Commands that do one thing and end are never asked.
const port = process.env.MISBEHAVE_PORT || process.env.PORT

const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
  () => undefined,
)

process.exitCode = answer?.ok ? 0 : 1
