// One command shows the whole journey. Importing this starts nothing.
import { StartError } from '../kit/process/start-error.ts'
import { readConfig } from './config.ts'
import { greeting } from './greeting.ts'
import { createLifetime } from './lifetime.ts'
import { startDemo } from './start.ts'

/** Runs until a signal comes or a part breaks; then ends everything it started, and the process. */
export async function main(): Promise<void> {
  const lifetime = createLifetime()
  const interrupted = nextSignal()
  const outcome = await Promise.race([run(lifetime), interrupted])
  await lifetime.end()
  if (outcome) process.stderr.write(`${outcome}\n`)
  process.exit(outcome ? 1 : 0)
}

/** Settles with what went wrong, be it at the start or later. */
async function run(lifetime: ReturnType<typeof createLifetime>): Promise<string> {
  try {
    const say = (line: string) => process.stdout.write(`${line}\n`)
    const { places, broken } = await startDemo(readConfig(process.env, process.argv.slice(2)), lifetime, say)
    say(greeting(places))
    process.send?.({ ready: true, places })
    return await broken
  } catch (error) {
    if (error instanceof StartError) return [error.lines].flat().join('\n')
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

function nextSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(undefined))
    // Started by another program as its tool, it ends with it, however that one ends.
    if (process.send) process.once('disconnect', () => resolve(undefined))
  })
}
