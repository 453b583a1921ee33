// Commands for operators: npm run causeway -- …; each output line is JSON.
import { runCommand } from '../kit/process/program.ts'
import { runCommandLine } from './command-line.ts'

await runCommand('causeway', () => runCommandLine(process.argv.slice(2), { env: process.env, print, warn }))

function warn(line: string): void {
  process.stderr.write(`causeway: ${line}\n`)
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
