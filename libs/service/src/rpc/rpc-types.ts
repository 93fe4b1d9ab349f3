/** A unary method as ts-proto describes it. */
interface UnaryMethod<Request, Response> {
  path: string;
  requestStream: false;
  responseStream: false;
  requestSerialize: (value: Request) => Buffer;
  requestDeserialize: (value: Buffer) => Request;
  responseSerialize: (value: Response) => Buffer;
  responseDeserialize: (value: Buffer) => Response;
}

/** A method that answers with a stream, as ts-proto describes it. */
interface StreamMethod<Request, Response> extends Omit<UnaryMethod<Request, Response>, 'responseStream'> {
  responseStream: true;
}

/** One method seen without its message types; messages only pass between its own four functions. */
export interface AnyMethod {
  path: string;
  requestStream: false;
  responseStream: boolean;
  requestSerialize(value: unknown): Buffer;
  requestDeserialize(value: Buffer): unknown;
  responseSerialize(value: unknown): Buffer;
  responseDeserialize(value: Buffer): unknown;
}

/** A service as ts-proto describes it, for instance DatasetServiceService. */
export type RpcDefinition = Readonly<Record<string, AnyMethod>>;

/** The methods of a service with one more argument (the server's call context, or the client's call options). */
export type RpcMethods<Definition, Extra> = {
  [Name in keyof Definition]: Definition[Name] extends UnaryMethod<infer Request, infer Response>
    ? (request: Request, extra: Extra) => Promise<Response>
    : Definition[Name] extends StreamMethod<infer Request, infer Response>
      ? (request: Request, extra: Extra) => AsyncIterable<Response>
      : never;
};
