import { StartError } from '../kit/process/start-error.ts'
import { readConfig } from './config.ts'
import { greeting } from './greeting.ts'
import { createLifetime } from './lifetime.ts'
import { startDemo } from './start.ts'

/** Runs until a signal or a failure, then ends all parts and the process. */
export async function main(): Promise<void> {
  const lifetime = createLifetime()
  const interrupted = nextSignal()
  const outcome = await Promise.race([run(lifetime), interrupted])
  await lifetime.end()
  if (outcome) process.stderr.write(`${outcome}\n`)
  process.exit(outcome ? 1 : 0)
}

/** Settles with the error, at the start or later. */
async function run(lifetime: ReturnType<typeof createLifetime>): Promise<string> {
  try {
    const say = (line: string) => process.stdout.write(`${line}\n`)
    const { places, fillSample, broken } = await startDemo(
      readConfig(process.env, process.argv.slice(2)),
      lifetime,
      say,
    )
    say(greeting(places))
    process.send?.({ ready: true, places })
    if (fillSample) fill(fillSample, say)
    return await broken
  } catch (error) {
    if (error instanceof StartError) return [error.lines].flat().join('\n')
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/** In the background: the demo can be used before its sample is complete. */
function fill(fillSample: () => Promise<void>, say: (line: string) => void): void {
  say('Adding sample history in the background …')
  fillSample().then(
    () => say('Sample history added.'),
    (error) => say(`Sample history is incomplete: ${(error as Error).message}`),
  )
}

function nextSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(undefined))
    // If another program started the demo, the demo ends with it.
    if (process.send) process.once('disconnect', () => resolve(undefined))
  })
}
