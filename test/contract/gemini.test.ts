import { describeContract } from './describe-contract.ts';

describeContract('gemini');
