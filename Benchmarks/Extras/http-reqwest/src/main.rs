//! The benchmark client for Rust: reqwest, with the command line of `BenchmarkOptions`.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio_util::io::ReaderStream;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Default)]
struct Options {
    workload: String,
    url: String,
    file: String,
    trust: String,
    requests: usize,
    concurrency: usize,
    warm_up: usize,
    expected: u64,
    /// The limit of requests at the same time, 0 for none. reqwest itself has no such limit.
    connections: usize,
    /// Whether everything runs on one thread.
    on_loop: bool,
}

impl Options {
    fn from_command_line() -> Result<Options, Failure> {
        let mut rest = std::env::args().skip(1);
        let mut options = Options { requests: 1, concurrency: 1, warm_up: 1, ..Options::default() };
        options.workload = rest.next().ok_or("the workload is missing")?;
        while let Some(name) = rest.next() {
            if name == "--on-loop" {
                options.on_loop = true;
                continue;
            }
            let value = rest.next().ok_or(format!("{name} needs a value"))?;
            match name.as_str() {
                "--url" => options.url = value,
                "--file" => options.file = value,
                "--trust" => options.trust = value,
                "--requests" => options.requests = value.parse()?,
                "--concurrency" => options.concurrency = value.parse()?,
                "--warm-up" => options.warm_up = value.parse()?,
                "--expect" => options.expected = value.parse()?,
                "--connections" => options.connections = value.parse()?,
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        Ok(options)
    }
}

#[derive(serde::Deserialize)]
#[allow(dead_code)] // only the number of records is used
struct Record {
    id: i64,
    guid: String,
    name: String,
    email: String,
    city: String,
    zip: String,
    balance: f64,
    age: i64,
    active: bool,
    registered: String,
}

async fn once(client: &reqwest::Client, options: &Options) -> Result<u64, Failure> {
    if options.workload == "upload-file" {
        let file = tokio::fs::File::open(&options.file).await?;
        let length = file.metadata().await?.len();
        let pieces = reqwest::Body::wrap_stream(ReaderStream::with_capacity(file, 1 << 18));
        let request = client.put(&options.url).header("content-length", length).body(pieces);
        return Ok(request.send().await?.error_for_status()?.text().await?.parse()?);
    }
    let mut response = client.get(&options.url).send().await?.error_for_status()?;
    let mut count = 0;
    match options.workload.as_str() {
        "download-null" => {
            while let Some(piece) = response.chunk().await? {
                count += piece.len() as u64;
            }
        }
        "download-file" => {
            let mut file = std::fs::File::create(&options.file)?;
            while let Some(piece) = response.chunk().await? {
                file.write_all(&piece)?;
                count += piece.len() as u64;
            }
        }
        "json-100k" => count = response.json::<Vec<Record>>().await?.len() as u64,
        _ => count = response.bytes().await?.len() as u64,
    }
    Ok(count)
}

/// Makes `count` requests; returns the number of those that failed.
async fn perform(client: &reqwest::Client, options: &Arc<Options>, count: usize) -> usize {
    let limit = (options.connections > 0).then(|| Arc::new(Semaphore::new(options.connections)));
    let tasks = options.concurrency.min(count);
    let series: Vec<_> = (0..tasks)
        .map(|index| {
            let (client, options, limit) = (client.clone(), options.clone(), limit.clone());
            tokio::spawn(async move {
                let mut errors = 0;
                for _ in 0..(count + index) / tasks {
                    let _permit = match &limit {
                        Some(limit) => Some(limit.acquire().await.expect("the semaphore is never closed")),
                        None => None,
                    };
                    match once(&client, &options).await {
                        Ok(got) if got == options.expected => {}
                        result => {
                            eprintln!("{result:?}");
                            errors += 1;
                        }
                    }
                }
                errors
            })
        })
        .collect();
    let mut errors = 0;
    for task in series {
        errors += task.await.unwrap_or(1);
    }
    errors
}

/// User and system processor time so far, and voluntary context switches.
fn usage() -> (Duration, Duration, i64) {
    // struct rusage on 64-bit Linux: two times of two words, then 14 numbers
    let mut all = [0i64; 18];
    extern "C" {
        fn getrusage(who: i32, usage: *mut i64) -> i32;
    }
    // The kernel writes exactly these 18 words; 0 is RUSAGE_SELF.
    let result = unsafe { getrusage(0, all.as_mut_ptr()) };
    assert_eq!(result, 0, "getrusage cannot fail with a valid pointer");
    let time = |place: usize| Duration::new(all[place] as u64, all[place + 1] as u32 * 1000);
    (time(0), time(2), all[16])
}

fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
}

async fn measure(options: Arc<Options>) -> Result<bool, Failure> {
    let mut builder = reqwest::Client::builder().no_proxy();
    if !options.trust.is_empty() {
        builder = builder.add_root_certificate(reqwest::Certificate::from_pem(&std::fs::read(&options.trust)?)?);
    }
    let client = builder.build()?;
    perform(&client, &options, options.warm_up).await;
    let (before, start) = (usage(), Instant::now());
    let errors = perform(&client, &options, options.requests).await;
    let (wall, after) = (start.elapsed(), usage());
    println!(
        "{}",
        serde_json::json!({
            "client": "reqwest", "workload": options.workload, "count": options.requests, "errors": errors,
            "wallSeconds": wall.as_secs_f64(), "userSeconds": (after.0 - before.0).as_secs_f64(),
            "systemSeconds": (after.1 - before.1).as_secs_f64(), "contextSwitches": after.2 - before.2,
            "peakBytes": peak_bytes(),
        })
    );
    Ok(errors == 0)
}

fn main() -> Result<(), Failure> {
    let options = Arc::new(Options::from_command_line()?);
    let mut builder = match options.on_loop {
        true => tokio::runtime::Builder::new_current_thread(),
        false => tokio::runtime::Builder::new_multi_thread(),
    };
    if !builder.enable_all().build()?.block_on(measure(options))? {
        std::process::exit(1);
    }
    Ok(())
}
