import { runProgram } from '../../kit/process/program.ts'
import { readConfig } from './config.ts'
import { firstClient } from './domain/instance.ts'
import { startMisbehavingProvider } from './server.ts'

await runProgram('misbehave', async () => {
  const provider = await startMisbehavingProvider(readConfig(process.env))
  process.stdout.write(
    `misbehaving provider at ${provider.url}: the address defines the provider, such as ${provider.url}/ci;pkce=refused\n` +
      `client ${firstClient.id} with the secret ${firstClient.secret}; ${provider.url}/ lists the switches\n`,
  )
  process.send?.({ ready: true, url: provider.url })
  return provider
})
