/**
 * The two-byte part of four Adobe CMaps (GB-EUC-H, EUC-H, KSC-EUC-H, ETen-B5-H): which character
 * code is which CID. The four national standards order their characters as Adobe's collections do,
 * so a few hundred ranges hold some 25,000 characters. Base 36: "first code-length:first CID".
 *
 * Copyright 1990-2009 Adobe Systems Incorporated, BSD-3-Clause
 * (https://github.com/adobe-type-tools/cmap-resources).
 */

export const GB1_RANGES =
  'vxd-2l:2o w4x-1d:5a w6d-9:6o w6p-b:6y wbl-2l:7a wip-2a:9w wpt-2d:c7 wwx-n:el wxt-1g:f9 ' +
  'x41-w:gq x5d-w:hn xb5-v:ik xc5-11:jg xic-23:ki xpd-2l:mm xwh-v:p8 yw1-2l:q4 z35-2l:sq ' +
  'za9-2l:vc zhd-2l:xy zoh-2l:10k zvl-2l:136 102p-2l:15s 109t-2l:18e 10gx-2l:1b0 10o1-2l:1dm ' +
  '10v5-2l:1g8 1129-2l:1iu 119d-2l:1lg 11gh-2l:1o2 11nl-2l:1qo 11up-2l:1ta 121t-2l:1vw ' +
  '128x-2l:1yi 12g1-2l:214 12n5-2l:23q 12u9-2l:26c 131d-2l:28y 138h-2l:2bk 13fl-2l:2e6 ' +
  '13mp-2l:2gs 13tt-2l:2je 140x-2l:2m0 1481-2l:2om 14f5-2l:2r8 14m9-2l:2tu 14td-2l:2wg ' +
  '150h-2l:2z2 157l-2l:31o 15ep-2l:34a 15lt-2l:36w 15sx-2l:39i 1601-2l:3c4 1675-2l:3eq ' +
  '16e9-2l:3hc 16ld-2g:3jy 16sh-2l:3mf 16zl-2l:3p1 176p-2l:3rn 17dt-2l:3u9 17kx-2l:3wv ' +
  '17s1-2l:3zh 17z5-2l:423 1869-2l:44p 18dd-2l:47b 18kh-2l:49x 18rl-2l:4cj 18yp-2l:4f5 ' +
  '195t-2l:4hr 19cx-2l:4kd 19k1-2l:4mz 19r5-2l:4pl 19y9-2l:4s7 1a5d-2l:4ut 1ach-2l:4xf ' +
  '1ajl-2l:501 1aqp-2l:52n 1axt-2l:559 1b4x-2l:57v 1bc1-2l:5ah 1bj5-2l:5d3 1bq9-2l:5fp ' +
  '1bxd-2l:5ib 1c4h-2l:5kx 1cbl-2l:5nj 1cip-2l:5q5 1cpt-2l:5sr 1cwx-2l:5vd';

export const JAPAN1_RANGES =
  'vxd-2l:hl w4h-d:k7 w56-7:kl w5m-6:kt w64-e:l0 w6q-7:lf w72:ln wc0-9:lo wch-p:ly wdd-p:mo ' +
  'wip-2a:ne wpt-2d:pp wwx-n:s3 wxt-n:sr x41-w:tf x5d-w:uc xb5:5rr xb6:5rt xb7:5s3 xb8:5s7 ' +
  'xb9:5sf xba:5sb xbb:5sj xbc:5sz xbd:5sr xbe:5t7 xbf:5tf xbg:5rs xbh:5ru xbi:5s6 xbj:5sa ' +
  'xbk:5si xbl:5se xbm:5sq xbn:5t6 xbo:5sy xbp:5te xbq:5tu xbr:5sn xbs:5t2 xbt:5sv xbu:5ta ' +
  'xbv:5ti xbw:5sk xbx:5t3 xby:5ss xbz:5tb xc0:5tl yw1-2l:v9 z35-2l:xv za9-2l:10h zhd-2l:133 ' +
  'zoh-2l:15p zvl-2l:18b 102p-2l:1ax 109t-2l:1dj 10gx-2l:1g5 10o1-2l:1ir 10v5-2l:1ld ' +
  '1129-2l:1nz 119d-2l:1ql 11gh-2l:1t7 11nl-2l:1vt 11up-2l:1yf 121t-2l:211 128x-2l:23n ' +
  '12g1-2l:269 12n5-2l:28v 12u9-2l:2bh 131d-2l:2e3 138h-2l:2gp 13fl-2l:2jb 13mp-2l:2lx ' +
  '13tt-2l:2oj 140x-2l:2r5 1481-2l:2tr 14f5-2l:2wd 14m9-2l:2yz 14td-2l:31l 150h-1e:347 ' +
  '157l-2l:35m 15ep-2l:388 15lt-2l:3au 15sx-2l:3dg 1601-2l:3g2 1675-2l:3io 16e9-2l:3la ' +
  '16ld-2l:3nw 16sh-2l:3qi 16zl-2l:3t4 176p-2l:3vq 17dt-2l:3yc 17kx-2l:40y 17s1-2l:43k ' +
  '17z5-2l:466 1869-2l:48s 18dd-2l:4be 18kh-2l:4e0 18rl-2l:4gm 18yp-2l:4j8 195t-2l:4lu ' +
  '19cx-2l:4og 19k1-2l:4r2 19r5-2l:4to 19y9-2l:4wa 1a5d-2l:4yw 1ach-2l:51i 1ajl-2l:544 ' +
  '1aqp-2l:56q 1axt-2l:59c 1b4x-2l:5by 1bc1-2l:5ek 1bj5-2l:5h6 1bq9-2l:5js 1bxd-2l:5me ' +
  '1c4h-2l:5p0 1cbl-3:5rm 1cbp-1:6e4';

export const KOREA1_RANGES =
  'vxd-2l:2t w4h-1w:5f wbl-2l:7c wip-1e:9y wk5-15:bd wpt-9:cj wq8-9:ct wqp-n:d3 wrl-n:dr ' +
  'wwx-1v:ef x41-26:gb xb5-3:ii xba:im xbc-7:in xbl-25:iv xi9-2l:l1 xpd-2a:nn xwh-2d:py ' +
  'y3l-w:sc y4x-w:t9 yw1-2l:u6 z35-2l:ws za9-2l:ze zhd-2l:120 zoh-2l:14m zvl-2l:178 ' +
  '102p-2l:19u 109t-2l:1cg 10gx-2l:1f2 10o1-2l:1ho 10v5-2l:1ka 1129-2l:1mw 119d-2l:1pi ' +
  '11gh-2l:1s4 11nl-2l:1uq 11up-2l:1xc 121t-2l:1zy 128x-2l:22k 12g1-2l:256 12n5-2l:27s ' +
  '12u9-2l:2ae 131d-2l:2d0 138h-2l:2fm 13fl-2l:2i8 13mp-2l:2ku 140x-2l:2ng 1481-1a:2q2 ' +
  '149c:36c 149d-4:2rd 149i:2u6 149j-f:2ri 149z:5fx 14a0-m:2ry 14f5-2l:2sl 14m9-19:2v7 ' +
  '14nj:2o4 14nk-n:2wh 14o8:63g 14o9-l:2x5 14td-b:2xr 14tp:2xm 14tq-28:2y3 150h-2h:30c ' +
  '152z:30e 1530-2:32u 157l:32x 157m:31m 157n-k:32y 1588:31m 1589-m:33j 158w:2v0 158x-b:346 ' +
  '1599:36r 159a-w:34i 15ep-1e:35f 15g4:3di 15g5:37g 15g6-1:36u 15g8:3dj 15g9-1:36w ' +
  '15gb-5:3dk 15gh:36y 15gi:4h4 15gj-2:3dq 15gm:3du 15gn:36z 15go-3:3dv 15gs:370 15gt:3dz ' +
  '15gu:371 15gv-1:3e2 15gx:372 15gy:3e4 15gz-2:373 15h2:3e7 15h3-2:376 15h6:3eb 15h7:379 ' +
  '15h8-1:3ee 15ha:3eh 15lt:37a 15lu-1:3ei 15lw-2:37b 15lz-3:3ek 15m3:3er 15m4:37e 15m5:3es ' +
  '15m6-3:37f 15ma:3ew 15mb-a:37j 15mm:3hb 15mn-2:37u 15mq-1:3hd 15ms:3hh 15mt:37x 15mu-4:3hi ' +
  '15mz:3ho 15n0:37y 15n1-1:3hp 15n3-5:3hs 15n9-2:3hz 15nc:37z 15nd-1:3i5 15nf-2:380 ' +
  '15ni-1:3i9 15nk:383 15nl:3ib 15nm:3ie 15nn:384 15no:3is 15np-3:3iu 15nt-1:3iz 15nv:3j4 ' +
  '15nw-3:385 15o0-3:3jw 15o4-1:3k1 15o6:389 15o7-1:3k3 15o9-5:38a 15sx-2l:38g 1601-1w:3b2 ' +
  '161y:3by 161z-k:3cz 162k:36w 162l-1:3dk 1675-3:3dm 1679:4h4 167a-4:3dq 167f:36z 167g-1:3dv ' +
  '167i:38g 167j-27:3dx 16e9-m:3g5 16ew:37r 16ex-j:3gs 16fh:37w 16fi-1c:3hc 16ld-15:3ip ' +
  '16mj:4a8 16mk-n:3jv 16n8:4yg 16n9-p:3kj 16sh-2l:3l9 16zl-2l:3nv 176p-2l:3qh 17dt-z:3t3 ' +
  '17et:3z3 17eu-t:3u3 17fo:3sq 17fp-p:3ux 17kx-3:3vn 17l1:5su 17l2-2g:3vr 17s1-3:3y8 ' +
  '17s5:3x3 17s6-1a:3yc 17th:3xx 17ti-t:3zn 17uc:5vb 17ud-9:40h 17z5-2i:40r 181o:4b4 181p:43a ' +
  '181q:453 1869-h:43b 186r:5gr 186s-18:43t 1881:44y 1882-5:452 1888:48d 1889-l:458 ' +
  '18dd-27:45u 18fl:4mp 18fm-c:482 18kh-b:48f 18kt:47o 18ku-1q:48r 18ml:43p 18mm-g:4ai ' +
  '18rl-2l:4az 18yp-2b:4dl 1911:5ep 1912-8:4fx 195t:5oq 195u-6:4g6 1961:4dq 1962-2c:4gd ' +
  '19cx-c:4iq 19da:4j6 19db-1:4j3 19dd-1:3ex 19df-5:4j5 19dl:3ez 19dm:4jb 19dn-1:3f1 ' +
  '19dp-6:4jc 19dw:3f3 19dx-8:4jj 19e6:3f7 19e7:4js 19e8:3f8 19e9:4jt 19ea:3f9 19eb-2:4ju ' +
  '19ee:3fb 19ef-y:4jx 19fe-1:3fe 19fg:37j 19fh:4kw 19fi:3fg 19k1:3fj 19k2-1:4kx 19k4:3fl ' +
  '19k5-1:4kz 19k7:3fm 19k8-4:4l1 19kd:3fp 19ke:4l6 19kf-2:3fr 19ki:4l7 19kj:3fu 19kk-2:4l8 ' +
  '19kn-1:3fv 19kp-2:4lb 19ks:3fz 19kt-6:4le 19l0:37k 19l1:4ll 19l2-1:3g1 19l4-1:4lm 19l6:37l ' +
  '19l7-6:4lo 19le:3g4 19lf-2:4lv 19li:3g5 19lj-1:4ly 19ll:3g6 19lm-1:4m0 19lo:37m 19lp-1:4m2 ' +
  '19lr:3g7 19ls:4m4 19lt:3g8 19lu-1:4m5 19lw:3ga 19lx:3g9 19ly:3gb 19lz:4m7 19m0:3gc ' +
  '19m1:4m8 19m2-1:3ge 19m4:4z3 19m5-1:4m9 19m7:3gh 19m8:4mb 19m9:3gi 19ma:47o 19mb-1:4mc ' +
  '19md:3gj 19me:37n 19mf:37q 19mg:4me 19mh:3gl 19mi-4:4mf 19r5:3gn 19r6-3:4mk 19ra:3go ' +
  '19rb-1:4mo 19rd:3gp 19re:3gr 19rf:4mq 19rg:37r 19rh:3gt 19ri-1:4mr 19rk:3gu 19rl-d:4mt ' +
  '19rz:3gv 19s0:4n7 19s1:607 19s2-3:4n8 19s6:3gx 19s7:3gz 19s8-2:4nc 19sb:3h1 19sc:4nf ' +
  '19sd:3h2 19se:4ng 19sf-1:3h3 19sh-1:4nh 19sj:3h6 19sk-a:4nj 19sv:3h8 19sw-3:4nu 19t0:3h9 ' +
  '19t1:4ny 19t2:3ha 19t3-f:4nz 19tj:4h1 19tk-6:4of 19y9-1x:4om 1a07-1:3if 1a09-6:4qk ' +
  '1a0g:3ih 1a0h:384 1a0i-4:4qr 1a0n:3ij 1a0o:4qw 1a0p:4h4 1a0q:4qx 1a0r:3ik 1a0s-1:4qy ' +
  '1a0u:3il 1a5d-5:4r0 1a5j:3io 1a5k-3:4r6 1a5o:3ip 1a5p-u:4ra 1a6k:3ir 1a6l-15:4s5 1a7r:65w ' +
  '1a7s-6:4tb 1ach-v:4ti 1add:4q3 1ade-y:4ue 1aed:3j5 1aee-d:4vd 1aes:387 1aet-1:4vr 1aev:3j7 ' +
  '1aew-3:4vt 1af0:3j9 1af1:4vx 1af2:3ja 1ajl-2:4vy 1ajo:3jc 1ajp-1:4w1 1ajr:3je 1ajs:4w3 ' +
  '1ajt:3jg 1aju:388 1ajv-e:4w4 1aka-1:3ji 1akc:4wj 1akd:3jk 1ake-2:4wk 1akh:3jl 1aki:3jn ' +
  '1akj-2:4wn 1akm-1:3jo 1ako-3:4wq 1aks:3jr 1akt-1:4wu 1akv-2:3js 1aky:4a8 1akz-4:4ww ' +
  '1al4:3jv 1al5-11:4x1 1aqp-4:4y3 1aqu:3k6 1aqv:3k8 1aqw-1:4y8 1aqy:3ka 1aqz-3:4ya 1ar3:4la ' +
  '1ar4-1:3kc 1ar6:38b 1ar7-1:4ye 1ar9:3kh 1ara-1:4yg 1arc:3kj 1ard:4yi 1are:3kl 1arf-4:4yj ' +
  '1ark-1:3ko 1arm-2:4yo 1arp:3kq 1arq:3ks 1arr-1:4yr 1art-1:38c 1arv-9:4yt 1as5:3ku ' +
  '1as6-6:4z3 1asd-1:3kw 1asf-1:4za 1ash:3ky 1asi-1:4zc 1ask:3l0 1asl-1:4ze 1asn-1:3l1 ' +
  '1asp-d:4zg 1at3-1:3l3 1at5:4zu 1at6:3l6 1at7-3:4zv 1axt-2:3l9 1axw-21:4zz 1azy:44n ' +
  '1azz-f:521 1b4x-1l:52h 1b6j:50e 1b6k-y:543 1bc1-2l:552 1bj5-2l:57o 1bq9-2l:5aa 1bxd-r:5cw ' +
  '1by5:4f7 1by6-1n:5do 1bzu:4gb 1bzv-3:5fc 1c4h-f:5fg 1c4x:38f 1c4y-24:5fw 1cbl-5:5i1 ' +
  '1cbr:504 1cbs-1x:5i7 1cdq:55o 1cdr-f:5k5 1cip-2l:5kl 1cpt-2a:5n7 1cs4:3av 1cs5:5pi ' +
  '1cs6:5ib 1cs7-7:5pj 1cwx-m:5pr 1cxk:39z 1cxl-e:5qe 1cy0:3ai 1cy1-9:5qt 1cyb:3ck ' +
  '1cyc-16:5r3 1d41-1l:5sa 1d5n:5uc 1d5o-j:5tw 1d68:3xc 1d69-d:5ug 1db5-2l:5uu 1di9:5y5 ' +
  '1dia:2qu 1dib-1u:5xg 1dk6:2t8 1dk7-n:5zb 1dpd-2l:5zz 1dwh-7:62l 1dwp:2xz 1dwq-2c:62t ' +
  '1e3l-2l:656';

export const CNS1_RANGES =
  'vuo-o:2r vvd-3:alr vvh-x:3k vxd-2c:4i vzq:6w vzr:6v vzs-6:6x w1s-1q:74 w4h-2l:8v w8w-1q:bh ' +
  'wbl-q:d8 wcd-2:dz wg0-1q:gj wip-2l:ia wn4-1q:kw wpt-2l:mn wu8-1q:p9 wwx-2l:r0 x1c-1q:tm ' +
  'x41-2l:vd x8g-1q:xz xb5-2l:zq xfk-1q:12c xi9-2l:143 xmo-1q:16p xpd-2l:18g xts-1q:1b2 ' +
  'xwh-2l:1ct y0w-1q:1ff y3l-2k:1h6 y66:1vj y80-1q:1jr yap-2l:1li yf4-1q:1o4 yht-2l:1pv ' +
  'ym8-1q:1sh yox-1a:1u8 yq8-1a:1vk ytc-1q:1wv yw1-2l:1ym z0g-1q:218 z35-2l:22z z7k-1q:25l ' +
  'za9-2l:27c zeo-1q:29y zhd-2l:2bp zls-1q:2eb zoh-2l:2g2 zsw-1q:2io zvl-2l:2kf 1000-1q:2n1 ' +
  '102p-2l:2os 1074-1q:2re 109t-2l:2t5 10e8-1q:2vr 10gx-2l:2xi 10lc-1q:304 10o1-2l:31v ' +
  '10sg-1q:34h 10v5-2l:368 10zk-1q:38u 1129-12:3al 113c-1i:3bp 116o-1q:3d8 119d-2l:3ez ' +
  '11ds-1q:3hl 11gh-2l:3jc 11kw-h:3ly 11le:3bo 11lf-17:3mg 11nl-2l:3no 11s0-1q:3qa ' +
  '11up-2l:3s1 11z4-1q:3un 121t-2l:3we 1268-1q:3z0 128x-9:40r 1297-2b:412 12dc-1q:43e ' +
  '12g1-15:455 12h7:411 12h8-1e:46b 12kg-w:47q 12ld-t:48o 12n5-n:49i 12nt:4a7 12nu:4a6 ' +
  '12nv-1v:4a8 12rk-l:4c4 12s6:48n 12s7-13:4cq 12u9-2l:4du 12yo-1q:4gg 131d-2l:4i7 ' +
  '135s-1q:4kt 138h-t:e2 139b-o:ex 13a0-6:alv 13a7:4no 13a8-u:am2 13cw-1q:amx 13fl-2l:aoo ' +
  '13k0-1q:ara 13mp-1e:at1 13r4-9:4mk 13re:hg 13rf-w:4mu 13sc-i:4ns 13tt-s:4ob 13um:4nr ' +
  '13un-19:4p4 13vx-h:4qf 13y8-1q:4qx 140x-2d:4so 143b:4qe 143c-6:4v2 145c-1q:4v9 1481-2l:4x0 ' +
  '14cg-1q:4zm 14f5-2l:51d 14jk-1q:53z 14m9-2l:55q 14qo-1q:58c 14td-2l:5a3 14xs-1q:5cp ' +
  '150h-2l:5eg 154w-1q:5h2 157l-2l:5it 15c0-1q:5lf 15ep-2l:5n6 15j4-1q:5ps 15lt-2l:5rj ' +
  '15q8-1q:5u5 15sx-2l:5vw 15xc-1q:5yi 1601-2l:609 164g-1q:62v 1675-2l:64m 16bk-1q:678 ' +
  '16e9-16:68z 16fg:6s4 16fh-1d:6a7 16io-1l:6bl 16ka:6ux 16kb-3:6d7 16ld-2l:6db 16ps-1q:6fx ' +
  '16sh-2l:6ho 16ww-1q:6ka 16zl-2l:6m1 1740-1q:6on 176p-1p:6qe 178f:6a6 178g-u:6s5 ' +
  '17b4-1q:6t0 17dt-5:6ur 17dz-2f:6uy 17i8-1q:6xe 17kx-2l:6z5 17pc-1q:71r 17s1-2i:73i ' +
  '17uk:70h 17ul-1:761 17wg-1q:763 17z5-2l:77u 183k-1q:7ag 1869-2l:7c7 18ao-1q:7et ' +
  '18dd-2l:7gk 18hs-1q:7j6 18kh-2l:7kx 18ow-1q:7nj 18rl-2l:7pa 18w0-1q:7rw 18yp-2l:7tn ' +
  '1934-1q:7w9 195t-2l:7y0 19a8-1q:80m 19cx-2l:82d 19hc-1q:84z 19k1-2l:86q 19og-1q:89c ' +
  '19r5-2l:8b3 19vk-1q:8dp 19y9-1:8fg 19yb-2j:8fj 1a2o-1h:8i3 1a46-8:8jm 1a5d-2l:8jv ' +
  '1a9s-1q:8mh 1ach-2l:8o8 1agw-q:8qu 1ahn-z:8rm 1ajl-27:8sm 1alt:8fi 1alu-c:8uu 1ao0-1q:8v7 ' +
  '1aqp-1o:8wy 1ase:8jl 1asf-v:8yn 1av4-1q:8zj 1axt-8:91a 1ay2-2c:91k 1b28-1q:93x 1b4x-21:95o ' +
  '1b6z:9hw 1b70-i:97q 1b9c-1q:989 1bc1-2l:9a0 1bgg-l:9cm 1bh2:91j 1bh3-13:9d8 1bj5-15:9ec ' +
  '1bkb:8rl 1bkc-1e:9fi 1bnk-y:9gx 1boj-7:9hx 1bor:9r4 1bos-i:9i5 1bq9-2l:9io 1buo-13:9la ' +
  '1bvs:9v3 1bvt-l:9me 1bxd-x:9n0 1byb-1n:9nz 1c1s-1g:9pn 1c39-9:9r5 1c4h-2l:9rf 1c8w-11:9u1 ' +
  '1c9y-o:9v4 1cbl-j:9vt 1cc5:9ny 1cc6-1y:9wd 1ce5-1:9yd 1cg0-1q:9yf 1cip-2l:a06 1cn4-y:a2s ' +
  '1co3:9yc 1co4-q:a3r 1cpt-2l:a4i 1cu8-1q:a74 1cwx-2l:a8v 1d1c-1q:abh 1d41-2l:ad8 ' +
  '1d8g-1i:afu 1d9z-7:ahe 1db5-y:ahm 1dc4:ahd 1dc5:ail 1dc6:aix 1dc7-a:aim 1dci-3:aiy ' +
  '1dcm-14:aug';
