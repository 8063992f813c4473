declare module 'votifier2' {
  type Vote = { serviceName: string; username: string; address: string; timestamp: number };
  type Options = { host: string; port: number; token: string; vote: Vote };
  function send(options: Options, done: (error: Error | null) => void): void;
  export = send;
}
