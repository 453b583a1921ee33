// Commands of the operator work on the deployment's own stores and settings, so they run where it runs. They are part of
// the deployment, not of this package; here is only how to reach them.
import { spawn } from 'node:child_process'
import type { Command } from '../command.ts'
import { CommandError } from '../errors.ts'

const operatorCommand = (name: string, summary: string): Command => ({
  name,
  summary: `${summary} (where the deployment runs)`,
  arguments: ['[…]'],
  handsOn: true,
  async run(given, terminal) {
    const program = terminal.env.CAUSEWAY_OPERATOR_PROGRAM
    if (!program) {
      const words = [name, ...given.arguments].join(' ')
      throw new CommandError(
        `This works on the deployment's own database. Run it where the deployment runs: npm run causeway -- ${words}`,
      )
    }
    await runProgram(program, [name, ...given.arguments])
  },
})

export const operatorCommands: readonly Command[] = [
  operatorCommand('keys', 'Create, list and revoke API keys'),
  operatorCommand('doctor', 'Check the OAuth apps of integrations'),
  operatorCommand('catalogue', 'Check the providers of the catalogue'),
]

const runProgram = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new CommandError(`It ended with ${code ?? 'a signal'}.`))
    })
  })
