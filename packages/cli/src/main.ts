#!/usr/bin/env node
import { forwarderArgument } from './listen/forwarder.ts'
import { runForwarder } from './listen/forwarder-process.ts'
import { runCommandLine } from './run.ts'
import { processTerminal } from './terminal.ts'

const args = process.argv.slice(2)
if (args[0] === forwarderArgument && process.connected) runForwarder()
else process.exitCode = await runCommandLine(args, processTerminal())
