// Commands for operators: each prints one line of JSON and ends.
import { complaintsOf, runCommand } from './command-line.ts'

await runCommandLine(process.argv.slice(2))

async function runCommandLine(words: string[]): Promise<void> {
  try {
    process.stdout.write(`${JSON.stringify(await runCommand(words, { env: process.env, readInput }))}\n`)
  } catch (error) {
    for (const line of complaintsOf(error)) process.stderr.write(`platform: ${line}\n`)
    process.exitCode = 1
  }
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  return text
}
