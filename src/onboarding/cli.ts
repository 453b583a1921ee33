// Commands for operators: npm run causeway -- …; each line it prints is JSON.
import { runCommand } from '../kit/process/program.ts'
import { runCommandLine } from './command-line.ts'

await runCommand('causeway', () => runCommandLine(process.argv.slice(2), { env: process.env, print }))

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
