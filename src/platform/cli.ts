import { complaintsOf, runCommand } from './command-line.ts'

await runCommandLine(process.argv.slice(2))

async function runCommandLine(words: string[]): Promise<void> {
  try {
    process.stdout.write(`${JSON.stringify(await runCommand(words, { env: process.env, readInput, warn }))}\n`)
  } catch (error) {
    for (const line of complaintsOf(error)) warn(line)
    process.exitCode = 1
  }
}

function warn(line: string): void {
  process.stderr.write(`platform: ${line}\n`)
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  return text
}
