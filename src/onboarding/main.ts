import '../kit/process/quiet-libraries.ts'

// A dynamic import, because bundlers may place static ones before quiet-libraries.ts.
await import('./program.ts').then(({ runOnboarding }) => runOnboarding())
